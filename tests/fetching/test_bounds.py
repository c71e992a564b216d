"""Partitions that are read up to an end: what is handed over, what is asked for, and when they are finished."""

from __future__ import annotations

from uuid import UUID

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import LogTruncationError, OffsetOutOfRangeError, UnknownTopicError
from kafka_nextgen.fetching import Arrival, DecodedPartition, Fetch, FetchSettings, FetchState, NeedMetadata
from kafka_nextgen.fetching.bounds import Bound
from kafka_nextgen.requests.cluster_image import ClusterImage, TopicInfo
from kafka_nextgen.requests.offset_for_leader_epoch import EpochEnd
from kafka_nextgen.types import OffsetAndMetadata, OffsetRange, TopicPartition
from kafka_nextgen.wire.records import Columns
from tests.fetching.world import World, asked, cluster, columns

P0, P1, P2, P3 = (TopicPartition("orders", number) for number in range(4))


def read(world: World, **ranges: tuple[int, int]) -> None:
    """Assign these ranges, by ``p0`` and so on."""
    wanted = {TopicPartition("orders", int(name[1:])): OffsetRange(*ends) for name, ends in ranges.items()}
    world.state.assign(wanted, wanted, ranges=wanted)
    world.state.release(wanted)


def at(partition: TopicPartition, result: Columns, log_end: int) -> DecodedPartition:
    return DecodedPartition(partition, columns=result, high_watermark=log_end)


# What is handed over.


def test_nothing_at_or_beyond_the_end_is_handed_over_and_a_finished_partition_is_not_validated(world: World) -> None:
    read(world, p0=(2, 5))
    world.answer(world.fetch(), columns(P0, 2, 10))
    assert world.take() == [(0, 2), (0, 3), (0, 4)]
    assert world.state.position(P0) == 5
    assert world.state.finished() == {P0}
    assert world.state.is_all_finished()
    world.image = cluster({P0: 1, P1: 1, P2: 2, P3: 2}, epoch=9)
    assert world.plan() == []


def test_what_was_fetched_is_finished_once_it_is_handed_over_unless_it_is_put_back(world: World) -> None:
    read(world, p0=(0, 3))
    world.answer(world.fetch(), columns(P0, 0, 3))
    assert world.plan() == []
    world.take(2)
    assert world.state.finished() == frozenset()
    assert world.state.finished(world.state.handover.peek(1)) == {P0}
    last = world.state.handover.take(1)
    assert world.state.finished() == {P0}
    world.state.handover.put_back(last)
    assert world.state.finished() == frozenset()
    assert world.take() == [(0, 2)]


@pytest.mark.parametrize("end", [5, 4, 0])
def test_an_empty_range_is_finished_at_once(world: World, end: int) -> None:
    read(world, p0=(5, end))
    assert world.plan() == []
    assert world.state.is_all_finished()
    assert world.state.position(P0) == 5


def test_a_batch_that_compaction_emptied_at_its_end_or_one_behind_a_gap_ends_the_range(world: World) -> None:
    """Compaction took the last records: the batch ends behind the end, its records before it."""
    read(world, p0=(0, 8), p1=(0, 8))
    fetch = world.fetch()
    world.answer(fetch, columns(P0, 0, 3, last_offset_delta=11), columns(P1, 0, 3))
    world.answer(world.fetch(), columns(P1, 100, 3))
    assert world.plan() == []
    assert sorted(world.take()) == [(number, offset) for number in (0, 1) for offset in (0, 1, 2)]
    assert (world.state.position(P0), world.state.position(P1)) == (8, 8)
    assert world.state.is_all_finished()


def test_markers_and_aborted_records_at_the_end_are_passed(world: World) -> None:
    read(world, p0=(0, 4))
    world.answer(world.fetch(), columns(P0, 0, 2))
    world.take()
    world.answer(world.fetch(), columns(P0, 2, 1, control=True))
    assert not world.state.is_all_finished()
    world.answer(world.fetch(), Columns(P0, 4))  # what an aborted transaction leaves
    assert world.state.is_all_finished()
    assert not world.state.handover.has_records()


def test_a_seek_back_reads_again_up_to_the_end(world: World) -> None:
    read(world, p0=(0, 2))
    world.answer(world.fetch(), columns(P0, 0, 5))
    world.take()
    world.state.seek(P0, 1)
    assert world.state.finished() == frozenset()
    world.answer(world.fetch(), columns(P0, 1, 5))
    assert world.take() == [(0, 1)]
    assert world.state.is_all_finished()


def test_a_partition_without_an_end_keeps_all_from_being_finished(world: World) -> None:
    ranges = {P0: OffsetRange(0, 2)}
    world.state.assign([P0, P1], [P0, P1], ranges=ranges)
    world.state.release([P0, P1])
    world.state.seek(P1, 0)
    world.answer(world.fetch(), columns(P0, 0, 2), columns(P1, 0, 2))
    world.take()
    assert world.state.finished() == {P0}
    assert not world.state.is_all_finished()
    assert asked(world.plan()) == [(1, 1, 2)]


def test_another_assignment_takes_the_end_away(world: World) -> None:
    read(world, p0=(0, 2))
    world.answer(world.fetch(), columns(P0, 0, 5))
    world.take()
    assert world.state.has_ranges
    world.state.assign([P0], [])
    assert not world.state.has_ranges, "run() takes it"
    assert not world.state.is_all_finished()
    assert asked(world.plan()) == [(1, 0, 2)]


def test_another_range_begins_anew_and_is_consumed_up_to_its_start_as_by_a_seek(world: World) -> None:
    """Auto-commit on a close before the first poll commits that."""
    read(world, p0=(0, 5))
    fetch = world.fetch()
    read(world, p0=(7, 9))
    assert world.state.handover.consumed_offsets() == {P0: OffsetAndMetadata(7)}
    world.answer(fetch, columns(P0, 0, 5))
    assert not world.state.handover.has_records()
    world.answer(world.fetch(), columns(P0, 7, 5))
    assert world.take() == [(0, 7), (0, 8)]


def test_what_is_finished_is_not_silent(world: World) -> None:
    read(world, p0=(0, 2), p1=(0, 2))
    world.answer(world.fetch(), columns(P0, 0, 2))
    world.take()
    world.plan()
    world.now += 60
    assert world.state.planning.silence_s(world.now) == {P1: 60}


@given(st.integers(0, 30), st.integers(0, 30), st.lists(st.integers(1, 9), min_size=1))
def test_a_range_is_what_the_log_has_of_it(start: int, end: int, sizes: list[int]) -> None:
    """Whatever batches the log has; every third is a control batch."""
    world = World(FetchState(FetchSettings()), cluster({P0: 1}))
    read(world, p0=(start, end))
    kept, base = [], 0
    for number, size in enumerate((*sizes, 60)):
        is_control = number % 3 == 2
        kept += [] if is_control else range(base, base + size)
        if base + size > start:
            (need,) = world.plan() or (None,)
            if need is None:
                break
            assert isinstance(need, Fetch)
            came = columns(P0, base, size, control=is_control)
            world.answer(need, at(P0, came if base >= start else _behind(came, start), base + size))
        base += size
    assert world.take() == [(0, offset) for offset in kept if start <= offset < end]
    assert world.state.is_all_finished()
    assert world.state.position(P0) == max(start, end)


def _behind(came: Columns, start: int) -> Columns:
    """As it is decoded if ``start`` was asked for."""
    count = came.next_offset - start if came.offsets else 0
    return columns(P0, start, count) if count else Columns(P0, came.next_offset)


# What is asked for.


def test_the_first_question_is_for_a_batch_and_the_next_for_what_is_left(world: World) -> None:
    read(world, p0=(0, 1000))
    fetch = world.fetch()
    assert fetch.has_ends
    assert (fetch.max_bytes, fetch.wanted[P0].max_bytes) == (16 * 1024, 16 * 1024)
    world.receive(fetch, arrivals={P0: Arrival(200, 20_000, 5, bytes_per_offset=100.0, last_batch_bytes=10_000)})
    assert world.fetch().wanted[P0].max_bytes == 800 * 100 + 10_000


def test_one_partition_with_an_end_keeps_its_node_from_waiting_for_more(world: World) -> None:
    world.state.assign([P0, P1], [P0, P1], ranges={P0: OffsetRange(0, 2)})
    world.state.release([P0, P1])
    world.state.seek(P1, 0)
    fetch = world.fetch()
    assert set(fetch.wanted) == {P0, P1}
    assert fetch.has_ends


def test_the_batch_with_the_end_may_be_as_large_as_the_largest_that_ended_an_answer() -> None:
    bound = Bound(1000)
    bound.note(Arrival(200, 20_000, 5, bytes_per_offset=100.0, last_batch_bytes=10_000))
    bound.note(Arrival(400, 20_000, 5, bytes_per_offset=50.0, last_batch_bytes=100))
    assert bound.most_bytes(400, 1 << 20) == 600 * 50 + 10_000
    bound = Bound(100)
    assert bound.widen(0, 1 << 20)
    assert not bound.widen(0, 20_000), "it is raised as anywhere"


def test_no_more_is_asked_for_than_anybody_else_may(world: World) -> None:
    read(world, p0=(0, 10_000_000))
    fetch = world.fetch()
    world.receive(fetch, arrivals={P0: Arrival(200, 20_000, 5, bytes_per_offset=100.0, last_batch_bytes=10_000)})
    assert world.fetch().wanted[P0].max_bytes == 1 << 20


def test_nothing_is_asked_for_while_what_leads_to_the_end_is_decoded(world: World) -> None:
    read(world, p0=(0, 100))
    fetch = world.fetch()
    world.receive(fetch, arrivals={P0: Arrival(200, 20_000, 5)})
    assert world.plan() == []
    world.answer(fetch, columns(P0, 0, 200))
    assert world.plan() == []
    assert len(world.take()) == 100


def test_an_answer_that_has_no_whole_batch_is_followed_by_a_larger_question(world: World) -> None:
    read(world, p0=(0, 100))
    world.answer(world.fetch(), at(P0, Columns(P0, 0, truncated=True), 100))
    fetch = world.fetch()
    assert fetch.wanted[P0].max_bytes == 32 * 1024
    world.answer(fetch, at(P0, Columns(P0, 0), 100))  # as brokers say it since KIP-74
    assert world.fetch().wanted[P0].max_bytes == 64 * 1024


@given(st.integers(1, 300), st.integers(100, 200_000), st.integers(0, 5000), st.integers(1, 5000))
def test_a_range_of_equal_batches_costs_its_batches_and_at_most_one_more(
    records: int, batch_bytes: int, start: int, length: int
) -> None:
    """A broker sends its first batch whole, and what fits into the limit behind it, the last batch cut off."""
    end, bound, fetched_bytes, offset = start + length, Bound(start + length), 0, start
    while offset < end:
        whole = max(1, bound.most_bytes(offset, 1 << 40) // batch_bytes)
        fetched_bytes += max(batch_bytes, bound.most_bytes(offset, 1 << 40))
        offset = (offset // records + whole) * records
        bound.note(Arrival(offset, 0, bytes_per_offset=batch_bytes / records, last_batch_bytes=batch_bytes))
    needed = (end - 1) // records - start // records + 1
    most_bytes = (needed + 1) * batch_bytes + 1  # what is asked for is rounded up
    assert fetched_bytes <= most_bytes + max(0, 16 * 1024 - batch_bytes)


def test_what_is_not_written_yet_is_waited_for_and_no_reason_to_ask_for_more(world: World) -> None:
    read(world, p0=(0, 10))
    world.answer(world.fetch(), at(P0, columns(P0, 0, 5), 5))
    for _ in range(3):
        fetch = world.fetch()
        assert (fetch.max_wait_ms, fetch.wanted[P0].max_bytes) == (500, 16 * 1024)
        world.answer(fetch, at(P0, Columns(P0, 5), 5))
    assert len(world.take()) == 5
    assert not world.state.is_all_finished()


def test_an_open_transaction_in_front_of_the_end_is_waited_for() -> None:
    world = World(FetchState(FetchSettings(read_committed=True)), cluster({P0: 1}))
    read(world, p0=(0, 10))
    stable = DecodedPartition(P0, columns=columns(P0, 0, 3), high_watermark=20, last_stable_offset=3)
    world.answer(world.fetch(), stable)
    assert len(world.take()) == 3
    assert not world.state.is_all_finished()
    assert world.fetch().max_wait_ms == 500


# Trouble.


def test_a_range_that_the_log_does_not_have_is_never_reset(world: World) -> None:
    read(world, p0=(5, 10))
    world.answer(world.fetch(), DecodedPartition(P0, ErrorCode.OFFSET_OUT_OF_RANGE))
    with pytest.raises(OffsetOutOfRangeError, match=r"has no offset 5.* the range that ends at 10"):
        world.take()
    assert world.state.position(P0) == 5


def test_a_log_that_was_truncated_is_told_of(world: World) -> None:
    read(world, p0=(0, 10))
    world.answer(world.fetch(), at(P0, columns(P0, 0, 4), 20))
    world.take()
    diverging = DecodedPartition(P0, columns=Columns(P0, 4), diverging=EpochEnd(4, 2))
    world.answer(world.fetch(), diverging)
    with pytest.raises(LogTruncationError, match="the range up to offset 10 must be read unchanged"):
        world.take()
    assert world.state.position(P0) == 4


def look(world: World, image: ClusterImage) -> None:
    """Have the topic looked up once more, when that is due."""
    world.now += 2
    need = world.only(NeedMetadata)
    world.image = evolve(image)
    world.state.results.metadata_refreshed(need, world.now)


def test_a_partition_that_is_missing_is_told_of_at_the_third_look(world: World) -> None:
    world.image = without_it = cluster({P1: 1})
    read(world, p0=(5, 10))
    look(world, without_it)
    look(world, without_it)
    world.plan()
    assert not world.state.handover.has_records()
    world.now += 2
    look(world, without_it)
    world.plan()
    with pytest.raises(UnknownTopicError, match="at offset 5: its topic does not have this partition"):
        world.take()


@pytest.mark.parametrize(
    ("image", "why"),
    [
        (cluster({P0: 1}, topic_id=UUID(int=2)), "its topic was deleted and created again"),
        (ClusterImage(topics_by_name={"orders": TopicInfo("orders", None, 3)}), "the topic does not exist"),
    ],
)
def test_a_topic_that_vanishes_is_told_of_behind_what_was_read(world: World, image: ClusterImage, why: str) -> None:
    read(world, p0=(0, 10))
    world.answer(world.fetch(), at(P0, columns(P0, 0, 4), 20))
    world.answer(world.fetch(), DecodedPartition(P0, ErrorCode.UNKNOWN_TOPIC_ID))
    look(world, image)
    look(world, image)
    look(world, image)
    world.plan()
    assert len(world.take()) == 4
    look(world, image)
    world.plan()
    with pytest.raises(UnknownTopicError, match=why) as caught:
        world.take()
    assert (caught.value.partition, caught.value.code) == (P0, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)


def test_looks_in_vain_are_counted_anew_once_a_topic_was_found(world: World) -> None:
    whole, without_it = world.image, cluster({P1: 1})
    world.image = without_it
    read(world, p0=(0, 10))
    for image in (without_it, without_it, whole):
        look(world, image)
    fetch = world.fetch()
    assert asked([fetch]) == [(1, 0, 0)], "one broker had not heard of it"
    world.answer(fetch, at(P0, columns(P0, 0, 2), 20))
    assert len(world.take()) == 2
    world.image = without_it
    for _ in range(2):
        look(world, without_it)
        world.plan()
        assert not world.state.handover.has_records()
    look(world, without_it)
    world.plan()
    with pytest.raises(UnknownTopicError):
        world.take()
