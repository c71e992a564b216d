"""Records that have arrived and wait for the application.

Partitions take turns: whoever was handed over last is asked last. Within a turn one partition gives all it has, up
to what is asked for, since long runs of one partition are the cheapest to hand over. A run is handed over by
moving its start; nothing is copied.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records import Columns, ColumnSlice

__all__ = ["Buffers", "HandedOver"]


class HandedOver(NamedTuple):
    """How many records were handed over, and how many bytes their batches took, uncompressed."""

    records: int = 0
    bytes: int = 0

    def plus(self, columns: Columns, start: int, stop: int) -> HandedOver:
        """With one more run, whose part of the bytes is that of its records."""
        size, whole = columns.data_bytes, len(columns)
        return HandedOver(self.records + stop - start, self.bytes + size * stop // whole - size * start // whole)


_NOTHING = HandedOver()


class Buffers:
    """Runs of records by partition, none of them empty; the next partition in turn comes first."""

    def __init__(
        self,
        runs: Mapping[TopicPartition, Iterable[ColumnSlice]] = MappingProxyType({}),
        sizes: Mapping[TopicPartition, int] = MappingProxyType({}),
        handed_over: Mapping[str, HandedOver] = MappingProxyType({}),
    ) -> None:
        self._runs = OrderedDict((partition, deque(parts)) for partition, parts in runs.items())
        self._bytes = dict(sizes)
        self._handed_over = dict(handed_over)
        #: Counts what made room: runs handed over to their end.
        self.runs_done = 0

    def copy(self) -> Buffers:
        """The same runs, to be handed over without handing over these."""
        return Buffers(self._runs, self._bytes, self._handed_over)

    def add(self, columns: Columns) -> None:
        """Keep these records, after those of the same partition that came before."""
        assert len(columns) > 0
        self._runs.setdefault(columns.partition, deque()).append(ColumnSlice(columns, 0, len(columns)))
        self._bytes[columns.partition] = self.bytes_of(columns.partition) + columns.nbytes

    def drop(self, partition: TopicPartition) -> None:
        """Forget what there is of this partition."""
        self._runs.pop(partition, None)
        self._bytes.pop(partition, None)

    def has(self, partition: TopicPartition) -> bool:
        """Whether there are records of this partition."""
        return partition in self._runs

    @property
    def partitions(self) -> Collection[TopicPartition]:
        """Those of which there are records, in their turn."""
        return self._runs.keys()

    def bytes_of(self, partition: TopicPartition) -> int:
        """What the records of this partition take. A run counts in full until its last record is handed over."""
        return self._bytes.get(partition, 0)

    def records_of(self, partition: TopicPartition) -> int:
        """How many records of this partition there are."""
        return sum(map(len, self._runs.get(partition, ())))

    def handed_over(self) -> Mapping[str, HandedOver]:
        """What was handed over until now, by topic."""
        return dict(self._handed_over)

    @property
    def total_bytes(self) -> int:
        """What everything here takes."""
        return sum(self._bytes.values())

    def peek(
        self, ready: Callable[[TopicPartition], bool], max_records: int, whole_runs: bool = False
    ) -> list[ColumnSlice]:
        """The next records of the partitions that are ``ready``, at most ``max_records``; they stay here.

        With ``whole_runs``, the last run is there to its end, however long: that is when its memory is free again.
        """
        found: list[ColumnSlice] = []
        left = max_records
        for partition, runs in self._runs.items():
            if not ready(partition):
                continue
            for run in runs:
                if left <= 0:
                    return found
                stop = run.stop if whole_runs else min(run.stop, run.start + left)
                found.append(ColumnSlice(run.columns, run.start, stop))
                left -= len(found[-1])
        return found

    def holds(self, part: ColumnSlice) -> bool:
        """Whether these records, once peeked at, are still here."""
        return any(run.columns is part.columns for run in self._runs.get(part.partition, ()))

    def hand_over(self, part: ColumnSlice) -> bool:
        """Take these records out, which must be the partition's next ones; False if they are not here any more."""
        partition = part.partition
        runs = self._runs.get(partition)
        if not runs or runs[0].columns is not part.columns or part.stop <= runs[0].start:
            return False
        run = runs.popleft()
        assert part.stop <= run.stop
        before = self._handed_over.get(partition.topic, _NOTHING)
        self._handed_over[partition.topic] = before.plus(run.columns, run.start, part.stop)
        if part.stop < run.stop:
            runs.appendleft(ColumnSlice(run.columns, part.stop, run.stop))
        else:
            self.runs_done += 1
        if not runs:
            self.drop(partition)
            return True
        if part.stop == run.stop:
            self._bytes[partition] -= run.columns.nbytes
        self._runs.move_to_end(partition)
        return True
