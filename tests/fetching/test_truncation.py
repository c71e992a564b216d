"""Leaders that lost what was read: when they are asked, and what is made of their answers (KIP-320)."""

from __future__ import annotations

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import BrokerError, LogTruncationError
from kafka_nextgen.fetching import (
    Arrival,
    DecodedPartition,
    Fetch,
    FetchSettings,
    FetchState,
    NeedEpochEnds,
    NeedMetadata,
    NeedOffsetReset,
    Truncation,
    decode_answer,
)
from kafka_nextgen.properties.offset_reset import OffsetReset
from kafka_nextgen.requests.fetch import EpochEndOffset, FetchedPartition
from kafka_nextgen.requests.offset_for_leader_epoch import EpochEnd, EpochQuestion
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from kafka_nextgen.wire.records import RecordLimits
from tests.fetching.world import World, asked, cluster, columns, listed, redirect

P0, P1 = TopicPartition("orders", 0), TopicPartition("orders", 1)


def elect(world: World, epoch: int, leader: int = 1) -> None:
    world.image = cluster({P0: leader}, epoch=epoch)


def world_of(reset: OffsetReset = OffsetReset.EARLIEST, strict: bool = False) -> World:
    return World(FetchState(FetchSettings(reset, strict)), cluster({P0: 1}))


@pytest.fixture
def world() -> World:
    return world_of()


def begin(world: World, committed: OffsetAndMetadata) -> None:
    world.assign(P0)
    world.find_committed({P0: committed})


def read_ten(world: World) -> None:
    """Read and hand over offsets 0 to 9, of leader epoch 5."""
    world.read(P0, 10)


# When it is asked.


def test_a_new_leader_is_asked_where_the_epoch_ends_that_was_read_before_it_is_read(world: World) -> None:
    read_ten(world)
    elect(world, 6, leader=2)
    need = world.only(NeedEpochEnds)
    assert (need.node_id, need.questions) == (2, {P0: EpochQuestion(10, 5, 6)})
    assert world.plan() == []
    world.state.results.epoch_ends_found(need, {P0: EpochEnd(5, 10)}, world.now)
    assert asked(world.plan()) == [(2, 0, 10)]


def test_a_committed_offset_with_an_epoch_is_validated_and_one_without_is_not(world: World) -> None:
    begin(world, OffsetAndMetadata(7, 4))
    assert world.only(NeedEpochEnds).questions == {P0: EpochQuestion(7, 4, 5)}
    world = world_of()
    begin(world, OffsetAndMetadata(7))
    assert asked(world.plan()) == [(1, 0, 7)]


def test_what_the_leader_itself_said_at_this_epoch_is_not_asked_again(world: World) -> None:
    world.assign(P0)
    world.find_committed({P0: None})
    need = world.only(NeedOffsetReset)
    world.state.results.reset_found(need, listed(need, 3), world.now)
    assert asked(world.plan()) == [(1, 0, 3)]


def test_an_offset_sought_with_its_epoch_is_validated(world: World) -> None:
    read_ten(world)
    world.state.seek(P0, 4, leader_epoch=5)
    assert world.only(NeedEpochEnds).questions == {P0: EpochQuestion(4, 5, 5)}


def test_a_leader_that_is_older_than_what_was_read_is_looked_up_once(world: World) -> None:
    begin(world, OffsetAndMetadata(7, 9))
    world.refresh()
    world.now += 10
    assert world.only(NeedEpochEnds).questions == {P0: EpochQuestion(7, 9, 5)}


def test_a_fetch_on_its_way_is_answered_first(world: World) -> None:
    read_ten(world)
    fetch = world.fetch()
    elect(world, 6)
    assert world.plan() == []
    world.answer(fetch, columns(P0, 10, 5))
    assert world.only(NeedEpochEnds).questions == {P0: EpochQuestion(15, 5, 6)}
    assert len(world.take()) == 5


def test_a_fetch_tells_the_epoch_in_front_of_it_also_if_that_is_a_control_batchs(world: World) -> None:
    world.start(P0)
    first = world.fetch()
    world.answer(first, columns(P0, 0, 10))
    second = world.fetch()
    world.answer(second, columns(P0, 10, 1, epoch=7, control=True))
    third = world.fetch()
    assert [fetch.positions[0].last_epoch for fetch in (first, second, third)] == [-1, 5, 7]
    world.take()
    assert world.state.handover.handed_over_offsets() == {P0: OffsetAndMetadata(11, 7)}


@pytest.mark.parametrize("fails", [False, True])
def test_records_that_are_being_decoded_are_waited_for_and_without_them_there_is_nothing_to_ask_by(
    world: World, fails: bool
) -> None:
    world.start(P0)
    fetch = world.fetch()
    elect(world, 6)
    world.receive(fetch, arrivals={P0: Arrival(10, 500, end_epoch=5)})
    assert world.plan() == []
    if fails:
        world.state.results.failed(fetch, world.now)
        world.refresh()
        world.now += 1
        assert asked(world.plan()) == [(1, 0, 0)]
    else:
        world.answer(fetch, columns(P0, 0, 10))
        assert world.only(NeedEpochEnds).questions == {P0: EpochQuestion(10, 5, 6)}


def test_a_fetch_behind_records_that_are_being_decoded_tells_their_epoch(world: World) -> None:
    world.start(P0)
    world.receive(world.fetch(), arrivals={P0: Arrival(10, 500, end_epoch=4)})
    (position,) = world.fetch().positions
    assert (position.offset, position.last_epoch) == (10, 4)


def test_an_unanswered_question_is_asked_again_once_the_leader_was_looked_up(world: World) -> None:
    read_ten(world)
    elect(world, 6)
    world.state.results.failed(world.only(NeedEpochEnds), world.now)
    world.refresh()
    world.now += 1
    world.only(NeedEpochEnds)


@pytest.mark.parametrize(
    ("code", "then"),
    [
        (ErrorCode.FENCED_LEADER_EPOCH, NeedMetadata),
        (ErrorCode.NOT_LEADER_OR_FOLLOWER, NeedMetadata),
        (ErrorCode.UNKNOWN_LEADER_EPOCH, NeedEpochEnds),
        (ErrorCode.UNKNOWN_SERVER_ERROR, NeedEpochEnds),
    ],
)
def test_an_error_is_met_as_that_of_a_fetch(world: World, code: int, then: type) -> None:
    read_ten(world)
    elect(world, 6)
    need = world.only(NeedEpochEnds)
    world.state.results.epoch_ends_found(need, {P0: EpochEnd(error=code)}, world.now)
    world.now += 1
    world.only(then)


def test_what_somebody_has_to_mend_is_raised(world: World) -> None:
    read_ten(world)
    elect(world, 6)
    need = world.only(NeedEpochEnds)
    world.state.results.epoch_ends_found(need, {P0: EpochEnd(error=ErrorCode.INVALID_REQUEST)}, world.now)
    with pytest.raises(BrokerError, match=r"orders\[0\] can't be read at offset 10"):
        world.state.handover.take(1)


def test_a_broker_that_cannot_be_asked_or_whose_epoch_is_not_known_is_read_as_it_is(world: World) -> None:
    read_ten(world)
    elect(world, 6)
    world.state.results.epoch_ends_found(world.only(NeedEpochEnds), None, world.now)
    world.answer(world.fetch(), columns(P0, 10, 5, epoch=6))
    world.take()
    elect(world, -1)
    assert asked(world.plan()) == [(1, 0, 15)]


def test_what_was_sought_meanwhile_is_not_judged_by_an_older_answer(world: World) -> None:
    read_ten(world)
    elect(world, 6)
    need = world.only(NeedEpochEnds)
    world.state.seek(P0, 2)
    world.state.results.epoch_ends_found(need, {P0: EpochEnd(5, 4)}, world.now)
    assert world.state.position(P0) == 2
    assert asked(world.plan()) == [(1, 0, 2)]


# What the answer does.


@pytest.mark.parametrize("end", [(5, 10), (5, 12), (4, 10)], ids=["there", "behind it", "of an epoch nobody wrote in"])
def test_nothing_is_lost_if_the_epoch_does_not_end_in_front_of_the_position(world: World, end: tuple[int, int]) -> None:
    read_ten(world)
    elect(world, 6)
    world.validate(end)
    fetch = world.fetch()
    assert (fetch.positions[0].offset, fetch.positions[0].last_epoch) == (10, end[0])
    assert world.state.results.take_truncations() == ()


def test_the_position_goes_where_the_logs_part_and_is_validated_there_no_more(world: World) -> None:
    read_ten(world)
    elect(world, 6)
    world.validate((4, 6))
    assert world.state.results.take_truncations() == (
        Truncation(P0, OffsetAndMetadata(10, 5), OffsetAndMetadata(6, 4)),
    )
    assert world.state.results.take_truncations() == ()
    assert [lost.partition for lost in world.state.results.truncations()] == [P0]
    assert asked(world.plan()) == [(1, 0, 6)]
    assert world.state.handover.handed_over_offsets() == {P0: OffsetAndMetadata(6, 4)}
    world.assign()
    assert world.state.results.truncations() == (), "whoever has it now is told"


def test_auto_commit_does_not_commit_beyond_where_the_logs_part(world: World) -> None:
    read_ten(world)
    world.state.handover.mark_consumed()
    elect(world, 6)
    world.validate((4, 6))
    assert world.state.handover.consumed_offsets() == {P0: OffsetAndMetadata(6, 4)}


@pytest.mark.parametrize("taken", [4, 0])
def test_records_that_are_not_handed_over_are_fetched_again_and_nothing_is_lost(world: World, taken: int) -> None:
    world.read(P0, 10, take=taken)
    elect(world, 6)
    world.validate((5, 8))
    assert not world.state.handover.has_records()
    if taken:
        assert world.only(NeedEpochEnds).questions == {P0: EpochQuestion(4, 5, 6)}
    else:
        assert asked(world.plan()) == [(1, 0, 0)]


def test_where_the_leader_cannot_tell_the_position_is_reset(world: World) -> None:
    read_ten(world)
    elect(world, 6)
    world.validate((-1, -1))
    assert world.only(NeedOffsetReset).questions == {P0: -2}
    assert world.state.results.take_truncations() == (Truncation(P0, OffsetAndMetadata(10, 5), None),)


@pytest.mark.parametrize(
    ("reset", "strict", "why"),
    [
        (OffsetReset.NONE, False, r"auto\.offset\.reset is none"),
        (OffsetReset.EARLIEST, True, r"offset\.reset\.strict is set"),
    ],
)
@pytest.mark.parametrize("end", [(4, 6), (-1, -1)], ids=["known", "unknown"])
def test_where_no_reset_is_allowed_the_application_is_told_and_the_position_stays(
    reset: OffsetReset, strict: bool, why: str, end: tuple[int, int]
) -> None:
    world = world_of(reset, strict)
    read_ten(world)
    elect(world, 6)
    for _ in range(2):
        world.validate(end)
        with pytest.raises(LogTruncationError, match=rf"orders\[0\]: the log was truncated.*{why}") as caught:
            world.state.handover.take(1)
        assert caught.value.partition == P0
        assert caught.value.position == OffsetAndMetadata(10, 5)
        assert caught.value.diverging == (OffsetAndMetadata(6, 4) if end == (4, 6) else None)
        assert world.state.position(P0) == 10
        world.now += 10
    assert world.state.results.take_truncations() == ()
    world.state.seek(P0, 6)
    assert asked(world.plan()) == [(1, 0, 6)]


# What a fetch is told.


def diverging(fetch: Fetch, epoch: int, end_offset: int, error: int = ErrorCode.NONE) -> tuple[DecodedPartition, ...]:
    answer = FetchedPartition(P0, error, 20, diverging=EpochEndOffset(epoch, end_offset))
    return decode_answer(fetch, [answer], RecordLimits())


def test_a_fetch_that_is_told_that_the_logs_part_goes_there_too(world: World) -> None:
    read_ten(world)
    fetch = world.fetch()
    world.answer(fetch, *diverging(fetch, 4, 6))
    assert len(world.state.results.take_truncations()) == 1
    assert world.state.position(P0) == 6
    world.validate()
    assert asked(world.plan()) == [(1, 0, 6)]


def test_a_fetch_ahead_of_the_application_has_the_position_validated(world: World) -> None:
    world.read(P0, 10, take=4)
    fetch = world.fetch()
    world.answer(fetch, *diverging(fetch, 4, 6))
    assert world.only(NeedEpochEnds).questions == {P0: EpochQuestion(4, 5, 5)}


def test_a_fetch_that_is_told_of_an_epoch_that_reaches_it_goes_on_and_not_at_once_if_that_is_nothing_new(
    world: World,
) -> None:
    read_ten(world)
    fetch = world.fetch()
    world.answer(fetch, *diverging(fetch, 3, 10))
    fetch = world.fetch()
    assert fetch.positions[0].last_epoch == 3
    world.answer(fetch, *diverging(fetch, 3, 10))
    assert world.plan() == []
    world.now += 1
    world.fetch()


def test_an_error_counts_more_than_where_logs_part(world: World) -> None:
    read_ten(world)
    fetch = world.fetch()
    world.answer(fetch, *diverging(fetch, 4, 6, ErrorCode.NOT_LEADER_OR_FOLLOWER))
    world.only(NeedMetadata)


def test_a_follower_is_not_believed_that_the_logs_part() -> None:
    world = World(FetchState(FetchSettings()), cluster({P0: 1, P1: 2}))
    read_ten(world)
    world.answer(world.fetch(), redirect(P0, 10, to=2))
    fetch = world.fetch()
    assert fetch.node_id == 2
    world.answer(fetch, *diverging(fetch, 4, 6))
    assert asked(world.plan()) == [(1, 0, 10)]
