"""The records that were polled and are not committed yet: the handled ones, followed by the waiting ones.

A transaction commits the handled records. Records are handled in the order in which they were polled, so each partition
has a handled prefix and a rest. If a transaction was not committed, or its outcome is unknown, its partitions are
*uncertain*: they have to be read again from the group's committed offset or, without one, from the first offset of that
transaction.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping

from kafka_nextgen.types import OffsetAndMetadata, Record, TopicPartition

__all__ = ["Backlog"]


class Backlog:
    """The records of the partitions that this member owns."""

    def __init__(self) -> None:
        self._waiting: deque[Record[bytes, bytes]] = deque()
        self._handled: dict[TopicPartition, OffsetAndMetadata] = {}
        self._starts: dict[TopicPartition, int] = {}  # the first offset that is not committed
        self._last: dict[TopicPartition, int] = {}  # the last offset that was polled
        self._failures = 0  # of the first record that waits
        #: Each uncertain partition, with the first offset of its transaction.
        self.uncertain: dict[TopicPartition, int] = {}

    # ---- reading

    def add(self, records: Iterable[Record[bytes, bytes]]) -> None:
        """Add polled records. Records of an uncertain partition are dropped, because it will be read again.

        A partition whose offsets go back, because its log was truncated, is forgotten first.
        """
        for record in records:
            partition = record.topic_partition
            if partition in self.uncertain:
                continue
            if record.offset <= self._last.get(partition, -1):
                self.forget([partition])
            self._waiting.append(record)
            self._last[partition] = record.offset
            self._starts.setdefault(partition, record.offset)

    @property
    def first(self) -> Record[bytes, bytes] | None:
        """The next record to handle, if any."""
        return self._waiting[0] if self._waiting else None

    # ---- handling

    def note_failure(self) -> int:
        """Count a failed attempt of the first record, and return how many there were."""
        self._failures += 1
        return self._failures

    def note_handled(self) -> None:
        """Note that the first record is handled."""
        record = self._waiting.popleft()
        self._failures = 0
        self._handled[record.topic_partition] = OffsetAndMetadata(record.offset + 1, record.leader_epoch)

    # ---- transactions

    def offsets(self, positions: Mapping[TopicPartition, OffsetAndMetadata]) -> dict[TopicPartition, OffsetAndMetadata]:
        """Return the offsets of a transaction: the offset after the last handled record of each partition.

        If no record of a partition waits, this is the consumer's position. It is after any transaction markers that
        follow the record, so no lag remains.
        """
        waiting = {record.topic_partition for record in self._waiting}
        offsets = dict(self._handled)
        for partition, handled in self._handled.items():
            position = positions.get(partition)
            if partition not in waiting and position is not None and position.offset > handled.offset:
                offsets[partition] = position
        return offsets

    def note_sent(self) -> None:
        """Mark the partitions of the handled records as uncertain until their transaction ends."""
        self.uncertain = {partition: self._starts[partition] for partition in self._handled}

    def note_committed(self) -> None:
        """Note that the handled records are committed."""
        self.uncertain.clear()
        self._handled.clear()
        self._starts.clear()
        for record in self._waiting:
            self._starts.setdefault(record.topic_partition, record.offset)

    def note_aborted(self) -> None:
        """Drop all records of uncertain partitions: they have to be read again."""
        uncertain = dict(self.uncertain)
        self.forget(uncertain)
        self.uncertain = uncertain

    # ---- giving up partitions

    def forget(self, partitions: Collection[TopicPartition]) -> None:
        """Drop partitions that this member no longer owns."""
        if self._waiting and self._waiting[0].topic_partition in partitions:
            self._failures = 0
        self._waiting = deque(record for record in self._waiting if record.topic_partition not in partitions)
        for partition in partitions:
            self._handled.pop(partition, None)
            for offsets in (self._starts, self._last, self.uncertain):
                offsets.pop(partition, None)

    def rest(self) -> dict[TopicPartition, int]:
        """Return the positions from which no record is skipped, without uncertain partitions."""
        return {partition: start for partition, start in self._starts.items() if partition not in self.uncertain}
