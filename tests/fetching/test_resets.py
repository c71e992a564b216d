"""Beginning with records of a certain age (KIP-1106): the end first, then the first record that is young enough."""

from __future__ import annotations

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.fetching import FetchSettings, FetchState, NeedCommittedOffset, NeedOffsetReset
from kafka_nextgen.fetching.resets import SkippedOffsets
from kafka_nextgen.properties.offset_reset import ByDuration, OffsetReset, Reset
from kafka_nextgen.requests.list_offsets import ListedOffset
from kafka_nextgen.types import TopicPartition
from tests.fetching.world import World, asked, cluster, listed

P0, P1 = (TopicPartition("orders", number) for number in range(2))
HOUR = ByDuration(3_600_000)


@pytest.fixture
def world() -> World:
    """A partition without a committed offset, whose end was just asked for."""
    world = World(FetchState(FetchSettings(reset=HOUR)), cluster({P0: 1, P1: 1}))
    world.assign(P0)
    world.find_committed({P0: None})
    return world


@pytest.mark.parametrize(("found", "position"), [(42, 42), (-1, 100)], ids=["one is young enough", "all are older"])
def test_the_first_record_that_is_young_enough_is_the_position_or_where_the_log_ended_before_that_was_asked(
    world: World, found: int, position: int
) -> None:
    end = world.only(NeedOffsetReset)
    assert end.questions == {P0: -1}
    world.state.results.reset_found(end, {P0: ListedOffset(100, leader_epoch=5)}, world.now)
    assert world.state.position(P0) is None
    by_age = world.only(NeedOffsetReset)
    assert by_age.timestamps(wall_ms=10_000_000) == {P0: 6_400_000}
    world.state.results.reset_found(by_age, listed(by_age, found), world.now)
    assert asked(world.plan()) == [(1, 0, position)]


def test_what_is_not_told_is_asked_for_again(world: World) -> None:
    end = world.only(NeedOffsetReset)
    world.state.results.reset_found(end, listed(end, -1), world.now)
    world.now += 10
    end = world.only(NeedOffsetReset)
    assert end.questions == {P0: -1}
    world.state.results.reset_found(end, listed(end, 100), world.now)
    moved = ListedOffset(-1, error=ErrorCode.OFFSET_NOT_AVAILABLE)
    world.state.results.reset_found(world.only(NeedOffsetReset), {P0: moved}, world.now)
    world.now += 10
    assert world.only(NeedOffsetReset).questions == {P0: HOUR}


def test_a_second_reset_finds_the_end_anew(world: World) -> None:
    end = world.only(NeedOffsetReset)
    world.state.results.reset_found(end, listed(end, 100), world.now)
    world.state.seek_to([P0], HOUR)
    assert world.only(NeedOffsetReset).questions == {P0: -1}


def test_no_duration_reaches_back_to_timestamps_that_mean_something_else() -> None:
    need = NeedOffsetReset(1, {P0: ByDuration(10**15), P1: -2}, {}, {})
    assert need.timestamps(wall_ms=10**12) == {P0: 0, P1: -2}


# ---- new partitions


def new_partition(settings: FetchSettings) -> World:
    """A partition without a committed offset, in a topic where the group has committed others."""
    world = World(FetchState(settings), cluster({P0: 1, P1: 1}))
    world.assign(P0)
    world.state.results.committed_found(world.only(NeedCommittedOffset), {P0: None}, world.now, new={P0})
    return world


def test_a_new_partition_begins_where_its_own_setting_says() -> None:
    world = new_partition(FetchSettings(reset=OffsetReset.NONE, new_partitions=OffsetReset.EARLIEST))
    first = world.only(NeedOffsetReset)
    assert first.questions == {P0: -2}
    assert world.state.results.reset_found(first, listed(first, 0), world.now) == ()
    assert asked(world.plan()) == [(1, 0, 0)]


@pytest.mark.parametrize(
    ("first", "end", "skipped"), [(30, 100, (SkippedOffsets(P0, 70, 100),)), (0, 0, ())], ids=["records", "empty"]
)
def test_what_a_new_partition_skips_is_counted_before_it_begins_at_its_end(
    first: int, end: int, skipped: tuple[SkippedOffsets, ...]
) -> None:
    world = new_partition(FetchSettings())
    for timestamp, offset, told in ((-2, first, ()), (-1, end, skipped)):
        question = world.only(NeedOffsetReset)
        assert question.questions == {P0: timestamp}
        assert world.state.results.reset_found(question, listed(question, offset), world.now) == told
    assert asked(world.plan()) == [(1, 0, end)]


def test_a_seek_to_the_end_of_a_new_partition_is_no_skip() -> None:
    world = new_partition(FetchSettings())
    world.state.seek_to([P0], OffsetReset.LATEST)
    end = world.only(NeedOffsetReset)
    assert end.questions == {P0: -1}
    assert world.state.results.reset_found(end, listed(end, 100), world.now) == ()


@pytest.mark.parametrize(
    ("reset", "new", "makes_a_difference"),
    [
        (OffsetReset.LATEST, None, True),
        (OffsetReset.LATEST, OffsetReset.LATEST, False),
        (OffsetReset.LATEST, OffsetReset.EARLIEST, True),
        (OffsetReset.EARLIEST, None, False),
        (OffsetReset.NONE, None, False),
        (HOUR, OffsetReset.EARLIEST, True),
    ],
)
def test_other_partitions_are_looked_at_only_where_it_makes_a_difference(
    reset: Reset, new: Reset | None, makes_a_difference: bool
) -> None:
    assert FetchSettings(reset=reset, new_partitions=new).treats_new_apart is makes_a_difference
