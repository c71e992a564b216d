"""Received records that are waiting for the application.

Partitions take turns: the one handed over last goes to the end. On its turn, a partition hands over all its records, up
to the requested number, since long runs of one partition are the cheapest to hand over. Handing over moves the start of
a run; nothing is copied.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from types import MappingProxyType

from attrs import evolve

from kafka_nextgen.lazy_attrs import define
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records import Columns, ColumnSlice

__all__ = ["Buffers", "HandedOverCount"]


@define
class HandedOverCount:
    """How many records were handed over, and how many bytes their batches took, uncompressed."""

    records: int = 0
    bytes: int = 0

    def plus(self, columns: Columns, start: int, stop: int) -> HandedOverCount:
        """The count plus one more run, with the bytes in proportion to its records."""
        size, whole = columns.data_bytes, len(columns.offsets)
        return HandedOverCount(self.records + stop - start, self.bytes + size * stop // whole - size * start // whole)


class Buffers:
    """Runs of records by partition, none of them empty; the next partition in turn comes first."""

    def __init__(
        self,
        runs: Mapping[TopicPartition, Iterable[ColumnSlice]] = MappingProxyType({}),
        sizes: Mapping[TopicPartition, int] = MappingProxyType({}),
        handed_over: Mapping[str, HandedOverCount] = MappingProxyType({}),
    ) -> None:
        self._runs = {partition: deque(parts) for partition, parts in runs.items()}
        #: A live view of the runs, with the partitions in turn order.
        self.runs: Mapping[TopicPartition, Collection[ColumnSlice]] = self._runs
        self._bytes = dict(sizes)
        self._handed_over = defaultdict(HandedOverCount, _copied(handed_over))
        #: The total size of all runs, in bytes.
        self.total_bytes = sum(self._bytes.values())
        #: How many runs were handed over completely, which freed their memory.
        self.runs_done = 0

    def copy(self, partitions: Iterable[TopicPartition]) -> Buffers:
        """An independent copy of these partitions' runs: handing over its records does not affect the original."""
        kept = [partition for partition in partitions if partition in self._runs]
        runs, sizes = {each: self._runs[each] for each in kept}, {each: self._bytes[each] for each in kept}
        return Buffers(runs, sizes, self._handed_over)

    def add(self, columns: Columns) -> None:
        """Add these records after the partition's earlier ones."""
        partition, nbytes = columns.partition, columns.nbytes
        run = ColumnSlice(columns, 0, len(columns))
        assert run.stop > 0
        runs = self._runs.get(partition)
        if runs is None:
            self._runs[partition] = deque((run,))
            self._bytes[partition] = nbytes
        else:
            runs.append(run)
            self._bytes[partition] += nbytes
        self.total_bytes += nbytes

    def addition(
        self, partition: TopicPartition, more: Iterable[Columns]
    ) -> tuple[dict[TopicPartition, deque[ColumnSlice]], dict[TopicPartition, int], deque[ColumnSlice], int]:
        """What adding these records of a partition would assign, for a caller that a signal handler may interrupt.

        These are the runs and the sizes by partition, and the partition's new runs and new size.
        """
        runs, size = deque(self._runs.get(partition, ())), self._bytes.get(partition, 0)
        for columns in more:
            runs.append(ColumnSlice(columns, 0, len(columns.offsets)))
            size += columns.nbytes
        return self._runs, self._bytes, runs, size

    def drop(self, partition: TopicPartition) -> None:
        """Drop all records of this partition."""
        if partition in self._runs:  # no calls in this block, so that a raising signal handler can't leave it half done
            self.total_bytes -= self._bytes[partition]
            del self._bytes[partition]
            del self._runs[partition]

    def has(self, partition: TopicPartition) -> bool:
        """Whether this partition has records."""
        return partition in self._runs

    def bytes_of(self, partition: TopicPartition) -> int:
        """The size of this partition's records. A run counts in full until its last record is handed over."""
        return self._bytes.get(partition, 0)

    def records_of(self, partition: TopicPartition) -> int:
        """How many records this partition has."""
        return sum(map(len, self._runs.get(partition, ())))

    def handed_over(self) -> Mapping[str, HandedOverCount]:
        """The records handed over so far, by topic."""
        return _copied(self._handed_over)

    def hand_over(self, part: ColumnSlice) -> int | None:
        """Remove these records, which must be the partition's next ones; returns None if they are no longer buffered.

        Returns how many runs of that partition are left. This is atomic even if a signal handler raises or calls it
        again.
        """
        columns, stop = part.columns, part.stop
        partition = columns.partition
        runs = self._runs.get(partition)
        if not runs or runs[0].columns is not columns or stop <= runs[0].start:
            return None
        run, left = runs[0], len(runs)
        assert stop <= run.stop
        rest = ColumnSlice(columns, stop, run.stop) if stop < run.stop else None
        topic, nbytes = partition.topic, columns.nbytes
        handed_over = self._handed_over[topic].plus(columns, run.start, stop)
        # From here on nothing is called, so no signal handler runs.
        if partition not in self._runs or self._runs[partition] is not runs or not runs or runs[0] is not run:
            return None
        self._handed_over[topic] = handed_over
        del self._runs[partition]
        if rest is None:
            left -= 1
            self.runs_done += 1
            gone = nbytes if left else self._bytes[partition]
            self._bytes[partition] -= gone
            self.total_bytes -= gone
        if not left:
            del self._bytes[partition]
            return left
        if rest is None:
            del runs[0]
        else:
            runs[0] = rest
        self._runs[partition] = runs  # at the end of the turn order
        return left

    def hand_over_runs(self, parts: Sequence[ColumnSlice]) -> int | None:
        """Remove these records, which must be the partition's next runs up to their ends; like ``hand_over``.

        Returns None, without a change, if they are not.
        """
        partition = parts[0].columns.partition
        topic, runs, count = partition.topic, self._runs.get(partition), len(parts)
        if runs is None or len(runs) < count or not all(map(_is_end_of, parts, runs)):
            return None
        first, rest = runs[0], deque(islice(runs, count, None))
        handed_over, nbytes = self._handed_over[topic].plus(first.columns, first.start, first.stop), 0
        for part in parts:
            nbytes += part.columns.nbytes
            if part.columns is not first.columns:
                handed_over = handed_over.plus(part.columns, 0, part.stop)
        left = len(rest)
        # From here on nothing is called, so no signal handler runs.
        if partition not in self._runs or self._runs[partition] is not runs or not runs or runs[0] is not first:
            return None
        self._handed_over[topic] = handed_over
        del self._runs[partition]
        self.runs_done += count
        gone = nbytes if left else self._bytes[partition]
        self._bytes[partition] -= gone
        self.total_bytes -= gone
        if not left:
            del self._bytes[partition]
            return left
        self._runs[partition] = rest  # at the end of the turn order
        return left

    def put_back(self, parts: Sequence[ColumnSlice]) -> None:
        """Undo ``hand_over`` of these records of one partition, which directly precede its buffered ones."""
        partition = parts[0].partition
        topic, runs = partition.topic, deque(self._runs.get(partition, ()))
        handed_over, more_bytes = self._handed_over[topic], 0
        for part in reversed(parts):
            handed_over = handed_over.plus(part.columns, part.stop, part.start)
            if runs and runs[0].columns is part.columns:
                runs[0] = ColumnSlice(part.columns, part.start, runs[0].stop)
            else:
                runs.appendleft(part)
                more_bytes += part.columns.nbytes
        nbytes = self._bytes.get(partition, 0) + more_bytes
        # From here on nothing is called, so no signal handler runs.
        self._handed_over[topic] = handed_over
        if partition in self._runs:
            del self._runs[partition]
        self._runs[partition] = runs  # at the end of the turn order
        self._bytes[partition] = nbytes
        self.total_bytes += more_bytes

    def pass_turn(self, partition: TopicPartition) -> None:
        """Move this partition to the end of the turn order, if it has records."""
        runs = self._runs.pop(partition, None)
        if runs is not None:
            self._runs[partition] = runs


def _is_end_of(part: ColumnSlice, run: ColumnSlice) -> bool:
    """Whether these records are the rest of the run."""
    return part.columns is run.columns and part.stop == run.stop and part.start <= run.start


def _copied(counts: Mapping[str, HandedOverCount]) -> dict[str, HandedOverCount]:
    return {topic: evolve(count) for topic, count in counts.items()}
