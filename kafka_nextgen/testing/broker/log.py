"""A partition's log: the produced batches in order, each at its offset.

A batch keeps the bytes that were produced, including their compression (KIP-98); only its offset, its leader epoch
and, with LogAppendTime, its timestamp are written into them. There is one copy, so the high watermark is the end of the
log. A read that begins in the middle of a batch returns the whole batch, and the reader drops the earlier records. Only
whole segments are deleted: by retention, which advances the log start offset, or when the log start offset has been
moved past them. Batches before that offset that share a segment with later ones stay, but can't be read.

The bytes are in a ``BatchStore``, in memory or in files, and a ``BatchIndex`` finds them.

The records of transactions are mixed with others, and markers end the transactions; all transactions before
``last_stable_offset`` have ended.

A reader that waits for more records adds a ``LogWatch`` to ``watchers``; every append, a new leader epoch and the
deletion of the log set it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.testing.broker.batch_index import BatchIndex
from kafka_nextgen.testing.broker.leader_epochs import LeaderEpochs
from kafka_nextgen.testing.broker.log_watch import LogWatch
from kafka_nextgen.testing.broker.open_transactions import OpenTransactions
from kafka_nextgen.testing.broker.storage import BatchStore, MemoryBatches
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records import (
    BatchView,
    RecordLimits,
    decode_partition,
    read_end_marker,
    read_header,
    rebase,
    split_batches,
)

__all__ = ["FoundOffset", "PartitionLog", "watching"]


@frozen
class FoundOffset:
    """The result of a look-up by time: an offset and its record's timestamp (milliseconds since the epoch)."""

    offset: int
    timestamp: int


class PartitionLog:
    """The batches of one partition, from ``start_offset`` to before ``end_offset``."""

    def __init__(self, partition: TopicPartition, leader_epoch: int = 0, batches: BatchStore | None = None) -> None:
        self.partition = partition
        self.leader_epoch = leader_epoch
        self.start_offset = 0
        self.end_offset = 0
        self.is_deleted = False
        self.compacted_size = 0  # bytes after the last compaction
        self.transactions = OpenTransactions()
        self.epochs = LeaderEpochs()
        self._batches = MemoryBatches() if batches is None else batches
        self._index = BatchIndex()
        self.watchers: set[LogWatch] = set()

    @property
    def size(self) -> int:
        """The size of the segments in bytes."""
        return self._index.end - self._index.begin

    @property
    def last_stable_offset(self) -> int:
        """The offset at which the first open transaction begins; the end if none is open."""
        first_open = self.transactions.first_open_offset()
        return self.end_offset if first_open is None else max(first_open, self.start_offset)

    def recover(self) -> Iterator[BatchView]:
        """Read the log from the store and yield each batch. Call it before any other use."""
        assert not self._index
        for batch in self._batches.recover():
            self._note(batch.header.next_offset, batch.header.size, batch.header.max_timestamp)
            self._note_transaction(batch, batch.header.base_offset)
            self.epochs.note(batch.header.leader_epoch, batch.header.base_offset)
            yield batch
        if self._batches.start_offset > self.end_offset:  # recovery deleted all segments
            self._index.drop(len(self._index))
        self._begin(self._batches.start_offset)

    def append(self, batch: BatchView, log_append_time: int | None = None) -> int:
        """Append a checked batch, and return its offset.

        ``log_append_time`` (milliseconds since the epoch) replaces the timestamps of the records. Raises
        ``StorageError`` and leaves the log unchanged if the batch can't be written.
        """
        base_offset = self.end_offset
        data = rebase(batch.data, base_offset, self.leader_epoch, log_append_time)
        timestamp = batch.header.max_timestamp if log_append_time is None else log_append_time
        end_offset = base_offset + batch.header.last_offset_delta + 1
        self._batches.append(data, base_offset, end_offset)
        self._note(end_offset, len(data), timestamp)
        self._note_transaction(batch, base_offset)
        self.epochs.note(self.leader_epoch, base_offset)
        self._wake()
        return base_offset

    def retain(self, max_bytes: int) -> None:
        """Delete the oldest segments as long as at least ``max_bytes`` remain."""
        self._drop_batches_before(self._index.end - max_bytes)

    def drop_older(self, timestamp: int) -> None:
        """Delete the oldest segments whose records are all older than a timestamp (milliseconds)."""
        self._drop_batches_before(self._index.position(self._index.expired(timestamp)))

    def drop_before(self, offset: int) -> None:
        """Move the log start offset to ``offset``, which the log holds. Raises ``StorageError``."""
        assert self.holds(offset)
        position = self._index.position(self._index.ending_by_offset(offset))
        self._drop(self._batches.boundary(position), offset)

    def truncate(self, offset: int, store: BatchStore) -> Sequence[BatchView]:
        """Lose the batches that end after ``offset``; return the others, which move to ``store``, an empty one."""
        index = self._index
        kept = split_batches(self._batches.read(index.begin, index.position(index.ending_by_offset(offset))))
        self._batches, self._index = store, BatchIndex()
        self.transactions, self.epochs = OpenTransactions(), LeaderEpochs()
        self.end_offset = self.start_offset
        for batch in kept:
            header = batch.header
            store.append(bytes(batch.data), header.base_offset, header.next_offset)
            self._note(header.next_offset, header.size, header.max_timestamp)
            self._note_transaction(batch, header.base_offset)
            self.epochs.note(header.leader_epoch, header.base_offset)
        self._begin(self.start_offset)
        return kept

    def rewrite(self, rewritten: Callable[[Sequence[BatchView]], Sequence[bytes]]) -> None:
        """Replace the batches before the last stable offset with the batches of ``rewritten``.

        These have fewer records but cover the same offsets. Raises ``StorageError``, and anything that ``rewritten``
        raises, and then leaves the log unchanged.
        """
        index, stable = self._index, self.last_stable_offset
        stable_position = index.position(index.ending_by_offset(stable))
        position = stable_position if stable == self.end_offset else self._batches.boundary(stable_position)
        count = index.ending_by_position(position)
        if count:
            batches = rewritten(split_batches(self._batches.read(index.begin, position)))
            headers = [batch.header for data in batches for batch in split_batches(data)]
            assert len(batches) == len(headers)
            self._batches.rewrite(position, batches, headers[0].base_offset)
            index.rewrite(count, headers)
        self.compacted_size = self.size

    def close(self) -> None:
        """Flush everything to the disk, if the log is in files."""
        self._batches.close()

    def delete(self) -> None:
        """Delete the log and wake its watchers."""
        self.is_deleted = True
        self._batches.delete()
        self._wake()

    def holds(self, offset: int) -> bool:
        """Whether reading from ``offset`` is possible: it is a record's offset or the end."""
        return self.start_offset <= offset <= self.end_offset

    def read(self, offset: int, max_bytes: int, *, at_least_one: bool, before: int | None = None) -> bytes:
        """Read whole batches, from the one that contains ``offset`` up to ``max_bytes`` and the offset ``before``.

        With ``at_least_one`` the first batch is returned even if it is larger, so that a reader with small limits makes
        progress (KIP-74).
        """
        index = self._index
        first = index.ending_by_offset(offset)
        begin = index.position(first)
        last = index.ending_by_position(begin + max_bytes)
        if last == first and at_least_one:
            last = first + 1
        last = min(last, len(index) if before is None else index.ending_by_offset(before))
        return self._batches.read(begin, index.position(last)) if last > first else b""

    def offset_for_time(self, timestamp: int) -> FoundOffset | None:
        """The first record at or after ``timestamp`` (milliseconds); None if there is none.

        Raises ``CorruptRecordError`` if the records of a batch, which are first decoded here, are invalid.
        """
        return self._find(timestamp, self.start_offset)

    def offset_of_latest_time(self) -> FoundOffset | None:
        """The first record with the highest timestamp (KIP-734); None if there is none.

        As in Kafka it may lie before the log start offset, as long as its segment exists.
        """
        latest = self._index.latest
        return None if latest is None else self._find(latest, 0)

    def begin_epoch(self, leader_epoch: int) -> None:
        """Use this leader epoch for later batches, and wake the watchers, since the leader has changed."""
        self.leader_epoch = leader_epoch
        self._wake()

    def _drop_batches_before(self, position: int) -> None:
        """Delete the segments that end before a position."""
        index = self._index
        boundary = position if position >= index.end else self._batches.boundary(position)
        count = index.ending_by_position(boundary)
        if count:
            self._drop(boundary, max(self.start_offset, index.end_offset(count - 1)))

    def _note(self, end_offset: int, size: int, timestamp: int) -> None:
        self._index.add(end_offset, size, timestamp)
        self.end_offset = end_offset

    def _note_transaction(self, batch: BatchView, base_offset: int) -> None:
        if not batch.header.is_control:
            self.transactions.began(batch.header, base_offset)
            return
        marker = read_end_marker(batch.header, batch.data)
        if marker is not None:
            self.transactions.ended(batch.header.producer_id, base_offset, is_commit=marker.is_commit)

    def _drop(self, position: int, offset: int) -> None:
        self._batches.drop(position, offset)
        self._index.drop(self._index.ending_by_position(position))
        self._begin(offset)

    def _begin(self, offset: int) -> None:
        self.transactions.forget_before(offset)
        self.epochs.forget_before(offset)
        self.start_offset = offset
        self.end_offset = max(self.end_offset, offset)

    def _find(self, timestamp: int, start: int) -> FoundOffset | None:
        for index in range(self._index.earlier_than(timestamp), len(self._index)):
            for found in self._records(index, start):
                if found.timestamp >= timestamp and found.offset >= start:
                    return found
        return None

    def _records(self, index: int, start: int) -> Iterator[FoundOffset]:
        """The records of a batch; a look-up by time counts markers as records."""
        data = self._batches.read(self._index.position(index), self._index.position(index + 1))
        header = read_header(data, 0)
        if header is not None and header.is_control:
            yield FoundOffset(header.base_offset, header.base_timestamp)
            return
        columns = decode_partition(data, self.partition, start, RecordLimits())
        for offset, timestamp in zip(columns.offsets, columns.timestamps, strict=True):
            yield FoundOffset(offset, timestamp)

    def _wake(self) -> None:
        for watch in self.watchers:
            watch.set()


@contextmanager
def watching(logs: Iterable[PartitionLog]) -> Iterator[LogWatch]:
    """A watch that, while the block runs, is set whenever one of ``logs`` grows, changes its leader or is deleted."""
    watched = tuple(logs)
    watch = LogWatch()
    for log in watched:
        log.watchers.add(watch)
    try:
        yield watch
    finally:
        for log in watched:
            log.watchers.discard(watch)
