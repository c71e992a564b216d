"""The end of each partition becomes known, although a session's answers omit partitions whose end has not changed."""

from __future__ import annotations

from uuid import UUID

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.fetching import NeedCommittedOffset, SessionAnswer
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from kafka_nextgen.wire.records import Columns
from tests.fetching.world import World, cluster, columns, steady

P0, P1 = (TopicPartition("orders", number) for number in range(2))


def named(*partitions: TopicPartition) -> SessionAnswer:
    """An answer of session 7 with these partitions."""
    return SessionAnswer(ErrorCode.NONE, 7, partitions)


def begin(world: World) -> None:
    """Have P0 and P1, which node 1 leads, in session 7, both read to their end at 0."""
    world.start(P0, P1)
    fetch = world.fetch()
    world.receive(fetch, named(P0, P1))
    world.answer(fetch, Columns(P0, 0), Columns(P1, 0))


def assign_anew(world: World) -> None:
    """Give P0 up and get it back, with nothing committed in between."""
    world.state.assign([P1], [])
    world.assign(P0, P1)
    (need,) = (need for need in world.plan() if isinstance(need, NeedCommittedOffset))
    world.state.results.committed_found(need, {P0: OffsetAndMetadata(0)}, world.now)


def lags(world: World) -> list[int | None]:
    return [at.lag for at in world.state.progress().partitions.values()]


def test_a_partition_given_up_and_assigned_again_during_a_fetch_gets_its_end_from_a_full_request(world: World) -> None:
    begin(world)
    on_its_way = world.fetch()
    assign_anew(world)
    world.receive(on_its_way, named())
    world.answer(on_its_way)
    omitted = world.fetch()
    assert omitted.session.told == (), "the session has it at the same offset"
    world.receive(omitted, named())
    world.answer(omitted)
    assert None in lags(world)
    full = world.fetch()
    assert (full.session.session_id, full.session.is_full) == (7, True)
    world.receive(full, named(P0, P1))
    world.answer(full, Columns(P0, 0), Columns(P1, 0))
    assert lags(world) == [0, 0]
    assert not world.fetch().session.is_full, "once is enough"


def test_an_answer_that_a_seek_made_useless_still_tells_the_end(world: World) -> None:
    world.start(P0)
    first = world.fetch()
    world.state.seek(P0, 2)
    world.receive(first, named(P0))
    world.answer(first, columns(P0, 0, 2))
    assert (lags(world), world.take()) == ([0], [])
    assert world.fetch().session.told[0].offset == 2, "which the session omits until more is written"


def test_the_end_of_a_topic_that_was_replaced_is_not_that_of_the_new_one(world: World) -> None:
    world.start(P0)
    first = world.fetch()
    world.image = cluster({P0: 1}, UUID(int=2))
    world.plan()
    world.receive(first, named(P0))
    world.answer(first, columns(P0, 0, 2))
    assert world.state.progress().partitions[P0].log_end is None


def test_no_fast_path_is_taken_until_the_end_is_known(world: World) -> None:
    begin(world)
    on_its_way = world.fetch()
    assign_anew(world)
    world.receive(on_its_way, named(P1))
    world.answer(on_its_way, columns(P1, 0, 2))
    fetch = world.fetch()
    assert steady(world.state, fetch, world.image) is None
