"""Transactions in a partition's log: the markers that end them, and the batches of those that were aborted (KIP-98).

A marker is a control batch of one record. Its key contains the type (version 0; type 0 aborts, 1 commits), its value
the epoch of the coordinator that wrote it (version 0). Later releases may write records of other types, which do not
end transactions.

A leader returns all batches before the last stable offset to a reader of committed records, and lists the aborted
transactions among them: the producer's id, and the first offset it wrote.

- From that offset on, every transactional batch of that producer belongs to that transaction, up to its ABORT marker.
  Later batches belong to another transaction, which is in the list if it was aborted too.
- An entry applies from the first batch that reaches its offset, because compaction may have removed the record at that
  offset.
- Records that a producer wrote outside transactions are kept. Markers have no records for the application.
- If a marker can't be read, there is no way to tell what is aborted after it. The data therefore ends before it, as if
  it had been cut off there, so that the next request begins with it and raises the error.

Only the headers are read, and the record of each marker. A batch with an invalid header ends the search: decoding
reaches it too, and reports what is wrong.
"""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Iterable

from kafka_nextgen.errors import CorruptRecordError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records.batch_header import HEADER, BatchHeader, read_header
from kafka_nextgen.wire.records.batch_records import append_records
from kafka_nextgen.wire.records.columns import ColumnsBuilder

__all__ = ["Committed", "EndMarker", "encode_end_marker", "leave_out_aborted", "read_end_marker"]


@frozen
class Committed:
    """The part of ``data`` whose aborted batches are known, and the base offsets of these batches, increasing."""

    data: memoryview
    skipped: tuple[int, ...] = ()


def leave_out_aborted(
    data: bytes | bytearray | memoryview,
    aborted: Iterable[tuple[int, int]],
    partition: TopicPartition,
    fetch_offset: int,
) -> Committed:
    """Find the batches to leave out of the response for ``partition`` at ``fetch_offset``.

    ``aborted`` contains pairs of a producer's id and the first offset of its transaction. Raises ``CorruptRecordError``
    if the first batch to read is a marker that can't be read. (KIP-98, "Aborted Transactions List"; Kafka 0.11)
    """
    view = memoryview(data)
    transactions = _Transactions(aborted)
    skipped: list[int] = []
    start, reached = 0, fetch_offset
    while (header := _header(view, start)) is not None:
        batch = view[start : start + header.size]
        try:
            if transactions.covers(header, batch):
                skipped.append(header.base_offset)
        except CorruptRecordError as error:
            if reached == fetch_offset:
                raise _located(error, partition, header.base_offset) from error
            return Committed(view[:start], tuple(skipped))
        start += header.size
        reached = max(fetch_offset, header.next_offset)
    return Committed(view, tuple(skipped))


class _Transactions:
    """The aborted transactions that have not begun yet, and the producers with one in progress."""

    def __init__(self, aborted: Iterable[tuple[int, int]]) -> None:
        self._ahead = deque(sorted((first_offset, producer_id) for producer_id, first_offset in aborted))
        self._producers: set[int] = set()

    def covers(self, header: BatchHeader, batch: memoryview) -> bool:
        """Whether this batch, the next one in the log, has records of an aborted transaction."""
        while self._ahead and self._ahead[0][0] < header.next_offset:
            self._producers.add(self._ahead.popleft()[1])
        if header.producer_id not in self._producers:
            return False
        if header.is_control:
            self._end(header, batch)
            return False
        return header.is_transactional

    def _end(self, header: BatchHeader, batch: memoryview) -> None:
        marker = read_end_marker(header, batch)
        if marker is not None and not marker.is_commit:
            self._producers.remove(header.producer_id)


def _header(view: memoryview, start: int) -> BatchHeader | None:
    try:
        return read_header(view, start)
    except CorruptRecordError:
        return None


def _located(error: CorruptRecordError, partition: TopicPartition, offset: int) -> CorruptRecordError:
    return CorruptRecordError(
        f"{partition} can't be read at offset {offset}: the marker there ends a transaction and can't be read, {error}."
        f" Nothing was skipped; seek past it to continue, or fetch again in case it was corrupted in transit.",
        partition,
        offset,
    )


_KEY = struct.Struct(">hh")
_VALUE = struct.Struct(">hi")
_ABORT, _COMMIT = 0, 1


@frozen
class EndMarker:
    """The end of a producer's transaction, and the epoch of the coordinator that wrote it."""

    is_commit: bool
    coordinator_epoch: int


def encode_end_marker(marker: EndMarker, producer_id: int, producer_epoch: int, timestamp: int) -> bytes:
    """Write a marker as a batch; ``timestamp`` is in milliseconds since the epoch."""
    from kafka_nextgen.wire.records.encode import NewRecord, encode_batch  # only a broker writes markers

    record = NewRecord(
        key=_KEY.pack(0, _COMMIT if marker.is_commit else _ABORT),
        value=_VALUE.pack(0, marker.coordinator_epoch),
        timestamp=timestamp,
    )
    return encode_batch(
        [record], producer_id=producer_id, producer_epoch=producer_epoch, transactional=True, control=True
    )


def read_end_marker(header: BatchHeader, batch: bytes | memoryview) -> EndMarker | None:
    """Read the marker in a control batch; None if it does not end a transaction.

    Raises ``CorruptRecordError`` if the record is not a control record.
    """
    assert header.is_control
    gathered = ColumnsBuilder(header.base_offset)
    append_records(gathered, header, bytes(batch[HEADER.size :]))
    if not gathered:
        return None  # compaction removed the marker
    key, value = gathered.keys.finish()[0], gathered.values.finish()[0]
    if key is None or len(key) < _KEY.size:
        raise CorruptRecordError("a control record has no type")
    _, kind = _KEY.unpack_from(key)
    if kind not in (_ABORT, _COMMIT):
        return None
    if value is None or len(value) < _VALUE.size:
        raise CorruptRecordError("the marker of a transaction has no coordinator's epoch")
    return EndMarker(kind == _COMMIT, _VALUE.unpack_from(value)[1])
