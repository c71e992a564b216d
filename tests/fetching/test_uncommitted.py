"""Which records were handed over and lost uncommitted, as the fetch state alone knows it."""

from __future__ import annotations

import pytest

from kafka_nextgen.properties.offset_reset import OffsetReset
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from kafka_nextgen.wire.records import ColumnSlice
from tests.fetching.world import World, columns

P0, P1 = (TopicPartition("orders", number) for number in range(2))


def read(world: World, count: int) -> None:
    """Hand over records of P0."""
    world.start(P0)
    world.answer(world.fetch(), columns(P0, 0, count))
    assert len(world.take()) == count


def committed(world: World, offset: int) -> None:
    world.state.handover.uncommitted.note_committed({P0: OffsetAndMetadata(offset)})


def lost(world: World) -> frozenset[TopicPartition]:
    """Lose everything; what of it was uncommitted."""
    world.state.stop([P0])
    world.state.assign([], [])
    return world.state.handover.uncommitted.partitions


def taken(world: World, first: int = 2, then: int = 5) -> list[ColumnSlice]:
    """Hand over so many of five records, then so many more; the latter."""
    world.read(P0, 5, take=first)
    return world.state.handover.take(then)


@pytest.mark.parametrize(("offset", "is_lost"), [(2, True), (3, False)])
def test_what_was_handed_over_and_not_committed_is_lost_with_its_partition(
    world: World, offset: int, is_lost: bool
) -> None:
    world.start(P0)
    assert lost(world) == frozenset(), "nothing was handed over"
    read(world, 3)
    committed(world, offset)
    assert world.state.handover.uncommitted.partitions == frozenset(), "it is not lost yet"
    assert lost(world) == ({P0} if is_lost else frozenset())
    committed(world, 3)
    assert world.state.handover.uncommitted.partitions == frozenset(), "an answer that came late takes a loss back"


def test_a_partition_that_begins_anew_is_lost_though_it_is_assigned(world: World) -> None:
    read(world, 3)
    world.state.assign([P0], [P0])
    assert world.state.handover.uncommitted.partitions == {P0}
    world.state.handover.uncommitted.note_reported([P0])
    assert world.state.handover.uncommitted.partitions == frozenset()


def test_what_was_read_since_it_came_back_is_told_too(world: World) -> None:
    read(world, 3)
    world.state.assign([], [])
    read(world, 3)
    world.state.handover.uncommitted.note_reported([P0])  # of the first three, by a commit that ends late
    assert lost(world) == {P0}


def test_a_partition_that_stays_is_not_lost(world: World) -> None:
    read(world, 3)
    world.state.assign([P0, P1], [P1])
    assert world.state.handover.uncommitted.partitions == frozenset()


def test_who_seeks_or_gives_up_knowingly_loses_nothing(world: World) -> None:
    read(world, 3)
    world.state.seek(P0, 0)
    assert lost(world) == frozenset()
    read(world, 3)
    world.state.seek_to([P0], OffsetReset.LATEST)
    assert lost(world) == frozenset()
    read(world, 3)
    world.state.handover.let_go([P0])
    assert lost(world) == frozenset()


def test_a_commit_behind_the_last_record_covers_it_though_the_batch_goes_on_without_records(world: World) -> None:
    world.start(P0)
    world.answer(world.fetch(), columns(P0, 0, 3, last_offset_delta=9))
    world.take()
    committed(world, 3)
    assert lost(world) == frozenset()


@pytest.mark.parametrize("offset", [2, 3])
@pytest.mark.parametrize("is_gone", [False, True])
def test_a_commit_may_come_before_the_word_that_its_records_were_handed_over(
    world: World, offset: int, is_gone: bool
) -> None:
    world.read(P0, 3, take=0)
    (part,) = world.state.handover.peek(3)
    committed(world, offset)
    if is_gone:
        world.state.stop([P0])
        world.state.assign([], [])
    world.state.handover.hand_over(part)
    assert lost(world) == ({P0} if offset < 3 else frozenset())


def test_a_commit_of_the_position_covers_what_was_cut_off_the_log(world: World) -> None:
    read(world, 3)
    world.state.by_partition[P0].start_at(2)  # as truncation does
    committed(world, 2)
    assert lost(world) == frozenset()


@pytest.mark.parametrize("is_gone", [False, True])
@pytest.mark.parametrize("is_told_before", [False, True])
def test_what_iteration_gave_out_is_lost_and_told_once_though_it_says_so_later(
    world: World, is_gone: bool, is_told_before: bool
) -> None:
    world.read(P0, 3, take=0)
    (part,) = world.state.handover.peek(3)
    world.state.stop([P0])
    if is_gone:
        world.state.assign([], [])
    if is_told_before:
        world.state.handover.uncommitted.note_reported([P0])
    world.state.handover.hand_over(part)
    assert lost(world) == (frozenset() if is_told_before else {P0})
    world.state.handover.uncommitted.note_reported([P0])
    world.state.handover.hand_over(part)
    assert world.state.handover.uncommitted.partitions == frozenset(), "it is told once"


def test_what_was_handed_over_before_is_not_handed_over_again(world: World) -> None:
    world.read(P0, 3, take=0)
    (part,) = world.state.handover.peek(3)
    world.state.handover.hand_over(part)
    committed(world, 3)
    assert lost(world) == frozenset()
    world.state.handover.hand_over(part)
    assert world.state.handover.uncommitted.partitions == frozenset()


@pytest.mark.parametrize("is_late", [False, True])
@pytest.mark.parametrize(("taken_first", "is_lost"), [(0, False), (2, True)])
def test_what_was_put_back_is_not_lost_but_what_was_read_before_it_is(
    world: World, is_late: bool, taken_first: int, is_lost: bool
) -> None:
    parts = taken(world, taken_first)
    if is_late:
        assert lost(world) == {P0}
    world.state.handover.put_back(parts)
    assert bool(lost(world)) is is_lost


@pytest.mark.parametrize("is_late", [False, True])
def test_what_was_put_back_behind_a_commit_is_not_lost_and_an_earlier_commit_uncovers_nothing(
    world: World, is_late: bool
) -> None:
    parts = taken(world)
    if is_late:
        assert lost(world) == {P0}
    for offset in (2, 1):
        committed(world, offset)
    world.state.handover.put_back(parts)
    assert lost(world) == frozenset()


def test_a_batch_that_is_put_back_late_leaves_lost_what_was_handed_over_behind_it(world: World) -> None:
    parts = taken(world, 0, 2)
    world.state.handover.take(3)
    lost(world)
    world.state.handover.put_back(parts)
    assert world.state.handover.uncommitted.partitions == {P0}
