"""How records wait their turn."""

from __future__ import annotations

from collections.abc import Collection

from kafka_nextgen.fetching.buffers import Buffers
from kafka_nextgen.fetching.context import Assigned
from kafka_nextgen.fetching.handing_over import Handover
from kafka_nextgen.fetching.positions import PartitionState
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records import ColumnSlice
from tests.fetching.world import columns

A, B = TopicPartition("orders", 0), TopicPartition("orders", 1)


def assigned(*partitions: TopicPartition, paused: Collection[TopicPartition] = ()) -> Assigned:
    """These partitions, released."""
    return Assigned(1, [PartitionState(tp, 0, 1, released=True, paused=tp in paused) for tp in partitions])


def offsets(parts: list[ColumnSlice]) -> list[tuple[int, list[int]]]:
    return [(part.partition.partition, list(part.columns.offsets[part.start : part.stop])) for part in parts]


def peek(buffers: Buffers, max_records: int, whole_runs: bool = False) -> list[ColumnSlice]:
    """The next records that would be handed over, if all partitions are ready."""
    ready = Assigned(1, assigned(A, B).states, buffers)
    return Handover(ready).peek(max_records, whole_runs)


def take(buffers: Buffers, max_records: int) -> list[tuple[int, list[int]]]:
    parts = peek(buffers, max_records)
    for part in parts:
        assert buffers.hand_over(part) is not None
    return offsets(parts)


def test_whole_runs_are_looked_at_to_the_end_of_what_was_fetched_together() -> None:
    buffers = Buffers()
    buffers.add(columns(A, 0, 2))
    buffers.add(columns(A, 2, 5))
    buffers.add(columns(B, 0, 5))
    assert offsets(peek(buffers, 3, whole_runs=True)) == [(0, [0, 1]), (0, [2, 3, 4, 5, 6])]


def test_runs_of_a_partition_keep_their_order() -> None:
    buffers = Buffers()
    buffers.add(columns(A, 0, 2))
    buffers.add(columns(A, 2, 2))
    assert take(buffers, 3) == [(0, [0, 1]), (0, [2])]
    assert take(buffers, 3) == [(0, [3])]
    assert not buffers.has(A)


def test_partitions_take_turns() -> None:
    buffers = Buffers()
    buffers.add(columns(A, 0, 4))
    buffers.add(columns(B, 0, 4))
    assert [take(buffers, 2) for _ in range(4)] == [[(0, [0, 1])], [(1, [0, 1])], [(0, [2, 3])], [(1, [2, 3])]]


def test_whoever_is_not_ready_is_passed_over() -> None:
    some = assigned(A, B, paused=[A])
    some.buffers.add(columns(A, 0, 1))
    some.buffers.add(columns(B, 0, 1))
    assert offsets(Handover(some).peek(10)) == [(1, [0])]


def test_a_run_counts_until_its_last_record_is_gone() -> None:
    buffers = Buffers()
    first, second = columns(A, 0, 2), columns(A, 2, 1)
    buffers.add(first)
    buffers.add(second)
    whole, done = first.nbytes + second.nbytes, buffers.runs_done
    seen = []
    for _ in range(3):
        take(buffers, 1)
        seen.append((buffers.total_bytes, buffers.bytes_of(A), buffers.runs_done - done))
    assert seen == [(whole, whole, 0), (second.nbytes, second.nbytes, 1), (0, 0, 2)]


def test_what_was_peeked_at_can_be_handed_over_in_parts_and_once_unless_it_was_dropped() -> None:
    buffers = Buffers()
    buffers.add(columns(A, 0, 3))
    (part,) = peek(buffers, 10)
    assert buffers.hand_over(ColumnSlice(part.columns, 0, 2)) == 1
    assert buffers.hand_over(ColumnSlice(part.columns, 0, 2)) is None
    (rest,) = peek(buffers, 10)
    assert offsets([rest]) == [(0, [2])]
    buffers.drop(A)
    buffers.add(columns(A, 0, 3))
    assert buffers.hand_over(rest) is None
