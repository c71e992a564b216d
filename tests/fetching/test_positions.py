"""From being assigned to being fetched: where a partition's position comes from, and what takes it away."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import MisuseError, OffsetOutOfRangeError, TopicAuthorizationError
from kafka_nextgen.fetching import Fetch, FetchSettings, FetchState, NeedCommittedOffset, NeedMetadata, NeedOffsetReset
from kafka_nextgen.properties.offset_reset import OffsetReset
from kafka_nextgen.requests.list_offsets import ListedOffset
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from tests.fetching.world import World, asked, cluster, columns, listed

P0, P1, P2 = (TopicPartition("orders", number) for number in range(3))


def test_before_the_callback_has_returned_only_the_position_is_looked_up(world: World) -> None:
    world.state.assign([P0], added=[P0])
    world.find_committed({P0: OffsetAndMetadata(42)})
    assert world.state.position(P0) == 42
    assert world.plan() == []
    world.state.release([P0])
    assert asked(world.plan()) == [(1, 0, 42)]


def test_fetching_begins_at_the_committed_offset_which_is_asked_for_once(world: World) -> None:
    world.assign(P0)
    need = world.only(NeedCommittedOffset)
    assert world.plan() == []
    world.state.results.committed_found(need, {P0: OffsetAndMetadata(42)}, world.now)
    assert world.state.position(P0) == 42
    assert asked(world.plan()) == [(1, 0, 42)]


def test_without_a_committed_offset_the_leader_is_asked(world: World) -> None:
    world.assign(P0, P2)
    nothing = {P0: OffsetAndMetadata(-1), P2: None}
    world.state.results.committed_found(world.only(NeedCommittedOffset), nothing, world.now)
    assert world.state.position(P0) is None
    one, two = world.plan()
    assert isinstance(one, NeedOffsetReset)
    assert (one.node_id, one.questions, one.leader_epochs) == (1, {P0: -1}, {P0: 5})
    assert isinstance(two, NeedOffsetReset)
    assert (two.node_id, two.questions) == (2, {P2: -1})
    world.state.results.reset_found(one, listed(one, 77), world.now)
    assert world.state.position(P0) == 77


def test_a_partition_that_is_unknown_just_now_is_not_reset_but_asked_for_again(world: World) -> None:
    world.assign(P0, P1)
    world.find_committed({P1: OffsetAndMetadata(3)})
    assert asked(world.plan()) == [(1, 1, 3)]
    world.now += 1
    assert world.only(NeedCommittedOffset).partitions == (P0,)


def test_none_forbids_to_choose_and_says_so_again_until_somebody_seeks() -> None:
    state = FetchState(FetchSettings(reset=OffsetReset.NONE))
    world = World(state, cluster({P0: 1}))
    world.assign(P0)
    for _ in range(2):
        state.results.committed_found(world.only(NeedCommittedOffset), {P0: None}, world.now)
        with pytest.raises(OffsetOutOfRangeError, match=r"orders\[0\].* no offset is committed.* Seek"):
            state.handover.take(1)
        assert world.plan() == []
        world.now += 10
    state.seek(P0, 3)
    assert asked(world.plan()) == [(1, 0, 3)]


def test_a_failed_look_up_is_repeated_after_a_growing_pause(world: World) -> None:
    world.assign(P0)
    for pause in (0.1, 0.2, 0.4, 0.8, 1.0, 1.0):
        world.state.results.failed(world.only(NeedCommittedOffset), world.now)
        assert world.plan() == []
        deadline = world.state.planning.deadline(world.now)
        assert deadline == pytest.approx(world.now + pause)
        world.now = deadline or 0.0


def test_a_seek_in_the_callback_spares_the_look_up(world: World) -> None:
    world.state.assign([P0], added=[P0])
    world.state.seek(P0, 9)
    world.state.release([P0])
    assert asked(world.plan()) == [(1, 0, 9)]


def test_a_committed_offset_that_comes_after_a_seek_or_for_an_earlier_assignment_is_dropped(world: World) -> None:
    world.assign(P0)
    need = world.only(NeedCommittedOffset)
    world.state.seek(P0, 9)
    world.state.results.committed_found(need, {P0: OffsetAndMetadata(1)}, world.now)
    assert world.state.position(P0) == 9
    world.state.assign([], added=[])
    world.assign(P0)
    world.state.results.committed_found(need, {P0: OffsetAndMetadata(1)}, world.now)
    assert world.state.position(P0) is None
    assert world.only(NeedCommittedOffset).partitions == (P0,)


def test_a_partition_that_lost_its_leader_is_asked_about_with_growing_pauses_until_it_has_one(world: World) -> None:
    image = world.image
    world.start(P0)
    world.image = evolve(image, brokers={})
    need = world.only(NeedMetadata)
    assert need.topics == {"orders"}
    assert world.plan() == []
    world.state.results.metadata_refreshed(need, world.now)
    for pause in (0.1, 0.2, 0.4, 0.8, 1.0, 1.0):
        assert world.plan() == []
        assert world.state.planning.deadline(world.now) == pytest.approx(world.now + pause)
        world.now += pause + 0.001
        world.state.results.failed(world.only(NeedMetadata), world.now)
    world.image = image
    assert asked(world.plan()) == [(1, 0, 0)]


def test_an_error_about_a_reset_is_treated_like_one_about_a_fetch(world: World) -> None:
    world.start(P0, P1)
    world.state.seek_to([P0, P1], OffsetReset.EARLIEST)
    need = world.only(NeedOffsetReset)
    refused = ListedOffset(-1, error=ErrorCode.TOPIC_AUTHORIZATION_FAILED)
    moved = ListedOffset(-1, error=ErrorCode.NOT_LEADER_OR_FOLLOWER)
    world.state.results.reset_found(need, {P0: refused, P1: moved}, world.now)
    with pytest.raises(TopicAuthorizationError):
        world.state.handover.take(1)
    assert set(world.only(NeedMetadata).fences) == {P1}


@pytest.mark.parametrize(("where", "timestamp"), [(OffsetReset.EARLIEST, -2), (OffsetReset.LATEST, -1)])
def test_seeking_to_an_end_asks_the_leader_again_and_again_until_it_is_found(
    world: World, where: OffsetReset, timestamp: int
) -> None:
    world.start(P0)
    world.state.seek_to([P0], where)
    need = world.only(NeedOffsetReset)
    assert need.questions == {P0: timestamp}
    world.state.results.reset_found(need, listed(need, -1), world.now)
    assert world.plan() == []
    world.now += 0.1
    need = world.only(NeedOffsetReset)
    world.state.results.reset_found(need, {P0: ListedOffset(3, leader_epoch=4)}, world.now)
    assert world.state.handover.handed_over_offsets() == {P0: OffsetAndMetadata(3, 4)}


def test_what_is_not_assigned_cannot_be_moved(world: World) -> None:
    state = world.state
    moves: list[Callable[[], object]] = [
        lambda: state.position(P0),
        lambda: state.seek(P0, 1),
        lambda: state.seek_to([P0], OffsetReset.LATEST),
        lambda: state.pause([P0]),
        lambda: state.resume([P0]),
    ]
    for move in moves:
        with pytest.raises(MisuseError, match=r"orders\[0\] is not assigned"):
            move()


# Assignments that change.


def test_a_new_assignment_does_not_touch_what_stays(world: World) -> None:
    world.read(P0, 3, take=0)
    assert world.take(1) == [(0, 0)]
    fetch = world.fetch()
    world.state.assign([P0, P2], added=[P2])
    world.answer(fetch, columns(P0, 3, 2))
    assert world.take() == [(0, 1), (0, 2), (0, 3), (0, 4)]


def test_what_is_given_up_keeps_its_position_until_it_is_gone_but_hands_nothing_over(world: World) -> None:
    world.start(P0, P1)
    world.answer(world.fetch(), columns(P0, 0, 5))
    assert world.take(2) == [(0, 0), (0, 1)]
    (part,) = world.state.handover.peek(10)
    world.state.stop([P0])
    world.state.handover.hand_over(part)
    assert world.take() == []
    assert world.state.handover.handed_over_offsets()[P0] == OffsetAndMetadata(2, 5)
    world.state.assign([P1], added=[])
    assert world.state.handover.handed_over_offsets().keys() == {P1}


def test_what_is_given_up_before_its_position_was_found_is_still_looked_up_for_its_callback_may_ask(
    world: World,
) -> None:
    world.assign(P0)
    late = world.only(NeedCommittedOffset)
    world.state.stop([P0])
    world.state.results.committed_found(late, {P0: OffsetAndMetadata(7)}, world.now)
    assert world.state.position(P0) is None, "that was asked before"
    world.find_committed({P0: OffsetAndMetadata(7)})
    assert world.state.position(P0) == 7
    assert world.plan() == [], "and nothing is fetched"


def test_what_was_stopped_and_stays_after_all_goes_on_where_it_was_and_what_comes_back_begins_anew(
    world: World,
) -> None:
    world.read(P0, 5, take=2)
    world.state.stop([P0])
    world.state.assign([P0], added=[])
    assert asked(world.plan()) == [(1, 0, 2)]
    world.state.assign([P0], added=[P0])
    assert world.state.position(P0) is None
    assert not world.state.handover.has_records()


def test_an_answer_to_a_stopped_partition_is_dropped_and_so_is_one_from_before_a_seek(world: World) -> None:
    world.start(P0)
    fetch = world.fetch()
    world.state.seek(P0, 50)
    world.answer(fetch, columns(P0, 0, 5))
    assert not world.state.handover.has_records()
    fetch = world.fetch()
    assert asked([fetch]) == [(1, 0, 50)]
    world.state.stop([P0])
    world.answer(fetch, columns(P0, 50, 5))
    assert not world.state.handover.has_records()


def test_a_seek_drops_what_is_buffered(world: World) -> None:
    world.read(P0, 5, take=0)
    world.state.seek(P0, 50)
    assert world.take() == []
    assert isinstance(world.plan()[0], Fetch)
