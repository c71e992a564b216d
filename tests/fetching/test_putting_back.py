"""What was handed over and did not reach the application goes back, and its position with it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kafka_nextgen.errors import CorruptRecordError
from kafka_nextgen.fetching import DecodedPartition, FetchState
from kafka_nextgen.properties.offset_reset import OffsetReset
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from kafka_nextgen.wire.records import ColumnSlice
from tests.fetching.world import World, columns

P0, P1 = TopicPartition("orders", 0), TopicPartition("orders", 1)


def behind(part: ColumnSlice, count: int) -> ColumnSlice:
    """What is left of it behind so many records."""
    return ColumnSlice(part.columns, part.start + count, part.stop)


def handed_over(world: World, *runs: int) -> list[ColumnSlice]:
    """Hand over runs of so many records of P0, all there are."""
    world.read(P0, *runs, take=0)
    return world.state.handover.take(1000)


def test_the_position_goes_back_and_the_records_come_again(world: World) -> None:
    (part,) = handed_over(world, 10)
    before = world.state.progress()
    world.state.handover.put_back([behind(part, 4)])
    assert world.state.handover.handed_over_offsets() == {P0: OffsetAndMetadata(4, 5)}
    assert world.take() == [(0, offset) for offset in range(4, 10)]
    assert world.state.progress() == before, "all is counted once"


def test_several_runs_come_again_in_their_order(world: World) -> None:
    one, two, three = handed_over(world, 3, 3, 3)
    world.state.handover.put_back([behind(one, 2), two, three])
    assert (world.state.position(P0), world.take(4)) == (2, [(0, 2), (0, 3), (0, 4), (0, 5)])
    assert world.take() == [(0, 6), (0, 7), (0, 8)]


def test_what_was_handed_over_in_part_is_whole_again(world: World) -> None:
    world.read(P0, 10, take=0)
    (part,) = world.state.handover.take(6)
    world.state.handover.put_back([behind(part, 1)])
    (whole,) = world.state.handover.peek(1000)
    assert (whole.start, whole.stop) == (1, 10)


def test_the_fetch_goes_on_where_it_was(world: World) -> None:
    (part,) = handed_over(world, 10)
    world.state.handover.put_back([part])
    world.answer(world.fetch(), columns(P0, 10, 2))
    assert world.take() == [(0, offset) for offset in range(12)]


def test_auto_commit_does_not_cover_what_went_back(world: World) -> None:
    (part,) = handed_over(world, 10)
    world.state.handover.mark_consumed()
    world.state.handover.put_back([behind(part, 4)])
    assert world.state.handover.consumed_offsets() == {P0: OffsetAndMetadata(4, 5)}


#: Which move leaves nothing to go back to.
MOVES: dict[str, Callable[[FetchState], object]] = {
    "stop": lambda state: state.stop([P0]),
    "seek": lambda state: state.seek(P0, 10),
    "seek to the end": lambda state: state.seek_to([P0], OffsetReset.LATEST),
    "assign again": lambda state: state.assign([P0], [P0]),
    "unassign": lambda state: state.assign([], []),
}


@pytest.mark.parametrize("move", MOVES.values(), ids=MOVES)
def test_what_was_given_up_or_sought_meanwhile_stays_as_it_is(
    world: World, move: Callable[[FetchState], object]
) -> None:
    (part,) = handed_over(world, 10)
    move(world.state)
    before = world.state.progress()
    world.state.handover.put_back([behind(part, 4)])
    assert (world.state.progress(), world.state.handover.has_records()) == (before, False)


def test_what_more_was_handed_over_of_stays_as_it_is(world: World) -> None:
    (part,) = handed_over(world, 10)
    world.answer(world.fetch(), columns(P0, 10, 1))
    assert world.take() == [(0, 10)]
    world.state.handover.put_back([behind(part, 4)])
    assert world.state.position(P0) == 11


def test_a_marker_behind_the_records_that_came_meanwhile_keeps_nothing_from_going_back(world: World) -> None:
    (part,) = handed_over(world, 10)
    world.answer(world.fetch(), columns(P0, 10, 1, control=True))
    assert world.state.position(P0) == 11
    world.state.handover.put_back([behind(part, 9)])
    assert (world.state.position(P0), world.take(), world.state.position(P0)) == (9, [(0, 9)], 11)


def test_an_error_behind_the_records_is_raised_behind_them_still(world: World) -> None:
    (part,) = handed_over(world, 10)
    corrupt = DecodedPartition(P0, corrupt=CorruptRecordError("broken", P0, 10))
    world.answer(world.fetch(), corrupt)
    world.state.handover.put_back([behind(part, 9)])
    assert world.take() == [(0, 9)]
    world.now += 60
    world.answer(world.fetch(), corrupt)
    with pytest.raises(CorruptRecordError):
        world.take()


@pytest.mark.parametrize(("last", "order"), [(P0, [1, 0]), (P1, [0, 1])])
def test_the_one_that_is_to_be_last_in_turn_is(world: World, last: TopicPartition, order: list[int]) -> None:
    world.start(P0, P1)
    world.answer(world.fetch(), columns(P0, 0, 1), columns(P1, 0, 1))
    for part in world.state.handover.peek(1000):
        world.state.handover.hand_over(part)
        world.state.handover.put_back([part])
    world.state.handover.pass_turn(last)
    assert [partition for partition, _ in world.take()] == order


def test_a_position_is_as_it_was_found_until_records_are_read_and_again_once_they_are_put_back(world: World) -> None:
    (part,) = handed_over(world, 10)
    world.state.handover.mark_consumed()
    assert world.state.handover.found_offsets() != world.state.handover.consumed_offsets()
    world.state.handover.put_back([part])
    assert world.state.handover.found_offsets()[P0].offset == world.state.handover.consumed_offsets()[P0].offset == 0


def test_a_position_that_was_sought_was_not_found(world: World) -> None:
    world.start(P0)
    assert world.state.handover.found_offsets() == {P0: OffsetAndMetadata(0)}
    world.state.seek(P0, 0)
    assert world.state.handover.found_offsets() == {}
