"""A partition's log in memory: the batches as they were produced, in order, each at its offset.

A batch is kept in the bytes it came in, with its offset and leader epoch written in; what is read is what was
produced, compression and all (KIP-98). There is one replica, so the high watermark is the end of the log. A read
may begin in the middle of a batch, which is then given whole: the reader drops what lies before. Retention drops
whole batches from the front and moves the log start offset with them.

Whoever waits for more sets an ``asyncio.Event`` among the watchers; every append, and the end of the log, sets it.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from attrs import frozen

from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records import BatchView, RecordLimits, decode_partition, rebase

__all__ = ["FoundOffset", "PartitionLog", "watching"]


@frozen
class FoundOffset:
    """An offset that was looked up by time, with its record's timestamp (milliseconds since the epoch)."""

    offset: int
    timestamp: int


class PartitionLog:
    """The batches of one partition. ``start_offset`` is the first there is, ``end_offset`` the next to come."""

    def __init__(self, partition: TopicPartition, leader_epoch: int = 0) -> None:
        self.partition = partition
        self.leader_epoch = leader_epoch
        self.start_offset = 0
        self.end_offset = 0
        self.size = 0  # bytes
        self.is_deleted = False
        self._batches: list[bytes] = []
        self._ends: list[int] = []  # the offset after each batch, so that bisect finds the batch of an offset
        self._latest: list[int] = []  # the highest timestamp up to and with each batch, which never falls
        self._watchers: set[asyncio.Event] = set()

    def append(self, batch: BatchView, log_append_time: int | None = None) -> int:
        """Append a batch that was checked, and return the offset it got.

        ``log_append_time`` (milliseconds since the epoch) replaces the records' own timestamps.
        """
        base_offset = self.end_offset
        data = rebase(batch.data, base_offset, self.leader_epoch, log_append_time)
        timestamp = batch.header.max_timestamp if log_append_time is None else log_append_time
        self.end_offset = base_offset + batch.header.last_offset_delta + 1
        self.size += len(data)
        self._batches.append(data)
        self._ends.append(self.end_offset)
        self._latest.append(max(timestamp, self._latest[-1] if self._latest else -1))
        self._wake()
        return base_offset

    def retain(self, max_bytes: int) -> None:
        """Drop the oldest batches as long as ``max_bytes`` are left without them."""
        count, size = 0, self.size
        while count < len(self._batches) and size - len(self._batches[count]) >= max_bytes:
            size -= len(self._batches[count])
            count += 1
        if count:
            self.start_offset = self._ends[count - 1]
            self.size = size
            del self._batches[:count], self._ends[:count], self._latest[:count]

    def delete(self) -> None:
        """Mark the log as gone with its topic, and wake who waits for it."""
        self.is_deleted = True
        self._wake()

    def holds(self, offset: int) -> bool:
        """Whether one may read from ``offset``: a record's, or the end."""
        return self.start_offset <= offset <= self.end_offset

    def read(self, offset: int, max_bytes: int, *, at_least_one: bool) -> bytes:
        """Read whole batches from the one that holds ``offset`` on, within ``max_bytes``.

        With ``at_least_one`` the first is given however large it is, so that a reader with small limits gets on
        (KIP-74).
        """
        chosen: list[bytes] = []
        left = max_bytes
        for batch in self._from(offset):
            if len(batch) > left and (chosen or not at_least_one):
                break
            chosen.append(batch)
            left -= len(batch)
        return b"".join(chosen)

    def offset_for_time(self, timestamp: int) -> FoundOffset | None:
        """Find the first record that is as late as ``timestamp`` (milliseconds); None if there is none.

        Raises ``CorruptRecordError`` if a batch, whose records nobody looked at before, cannot be read.
        """
        for index in range(bisect_left(self._latest, timestamp), len(self._batches)):
            for found in self._records(index):
                if found.timestamp >= timestamp:
                    return found
        return None

    def offset_of_latest_time(self) -> FoundOffset | None:
        """Find the first record with the highest timestamp (KIP-734); None if the log is empty."""
        return self.offset_for_time(self._latest[-1]) if self._latest else None

    def add_watcher(self, event: asyncio.Event) -> None:
        """Have ``event`` set whenever something is appended."""
        self._watchers.add(event)

    def remove_watcher(self, event: asyncio.Event) -> None:
        """Leave ``event`` alone from now on."""
        self._watchers.discard(event)

    def _from(self, offset: int) -> Iterator[bytes]:
        return (self._batches[index] for index in range(bisect_right(self._ends, offset), len(self._batches)))

    def _records(self, index: int) -> Iterator[FoundOffset]:
        columns = decode_partition(self._batches[index], self.partition, self.start_offset, RecordLimits())
        for offset, timestamp in zip(columns.offsets, columns.timestamps, strict=True):
            yield FoundOffset(offset, timestamp)

    def _wake(self) -> None:
        for event in self._watchers:
            event.set()


@contextmanager
def watching(logs: Iterable[PartitionLog]) -> Iterator[asyncio.Event]:
    """Give an event that is set whenever one of ``logs`` grows or ends, as long as the block runs."""
    watched = tuple(logs)
    event = asyncio.Event()
    for log in watched:
        log.add_watcher(event)
    try:
        yield event
    finally:
        for log in watched:
            log.remove_watcher(event)
