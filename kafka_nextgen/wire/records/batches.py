"""A broker's handling of batches: checks produced batches, and writes their offsets into them.

A broker only reads headers and checksums. The checksum does not cover a batch's offset and the epoch of the leader that
appended it, so these can be overwritten without computing it again (KIP-98). It does cover timestamps, so a changed one
requires a new checksum.
"""

from __future__ import annotations

import struct

from kafka_nextgen.errors import CorruptRecordError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.wire.records.batch_header import (
    CRC_START,
    LOG_APPEND_TIME,
    BatchHeader,
    check_header,
    read_header,
    verify_crc,
)
from kafka_nextgen.wire.records.encode import seal

__all__ = ["BatchView", "read_batches", "rebase", "split_batches", "with_max_timestamp"]

_ATTRIBUTES = struct.Struct(">h")
_MAX_TIMESTAMP_AT = struct.calcsize(">qiibIhiq")
_INT64 = struct.Struct(">q")
_INT32 = struct.Struct(">i")


@frozen
class BatchView:
    """One complete batch: its header, and all its bytes including the header."""

    header: BatchHeader
    data: memoryview


def read_batches(data: bytes | memoryview) -> tuple[BatchView, ...]:
    """Split a producer's data into batches, and check their headers and checksums.

    Raises ``CorruptRecordError`` for anything but complete batches of format 2 with one record for each offset: only
    compaction makes gaps, and producers do not compact.
    """
    batches = split_batches(data)
    start = 0
    for batch in batches:
        _check(batch, start)
        start += batch.header.size
    if start < len(data):
        raise CorruptRecordError(f"the batch at byte {start} ends after the {len(data)} bytes received")
    return batches


def split_batches(data: bytes | memoryview) -> tuple[BatchView, ...]:
    """Split bytes of a log into complete batches, which were checked when they were produced."""
    view = memoryview(data)
    batches: list[BatchView] = []
    start = 0
    while (header := read_header(view, start)) is not None:
        batches.append(BatchView(header, view[start : start + header.size]))
        start += header.size
    return tuple(batches)


def _check(batch: BatchView, start: int) -> None:
    header = batch.header
    try:
        verify_crc(header, batch.data)
        check_header(header)
    except CorruptRecordError as error:
        raise CorruptRecordError(f"the batch at byte {start} is corrupt: {error}") from error
    if header.record_count != header.last_offset_delta + 1:
        raise CorruptRecordError(
            f"the batch at byte {start} has {header.record_count} records, "
            f"but spans {header.last_offset_delta + 1} offsets"
        )


def rebase(batch: bytes | memoryview, base_offset: int, leader_epoch: int, log_append_time: int | None = None) -> bytes:
    """Copy a batch, with the offset and the leader epoch at which it was appended.

    With ``log_append_time`` (milliseconds since the epoch) every record has that timestamp, as required by the topic's
    ``message.timestamp.type=LogAppendTime``.
    """
    out = bytearray(batch)
    _INT64.pack_into(out, 0, base_offset)
    _INT32.pack_into(out, 12, leader_epoch)
    if log_append_time is None:
        return bytes(out)
    (attributes,) = _ATTRIBUTES.unpack_from(out, CRC_START)
    _ATTRIBUTES.pack_into(out, CRC_START, attributes | LOG_APPEND_TIME)
    _INT64.pack_into(out, _MAX_TIMESTAMP_AT, log_append_time)
    return seal(out)


def with_max_timestamp(batch: BatchView, max_timestamp: int) -> BatchView:
    """Return the batch with this highest timestamp (milliseconds since the epoch) in its header."""
    if batch.header.max_timestamp == max_timestamp:
        return batch
    out = bytearray(batch.data)
    _INT64.pack_into(out, _MAX_TIMESTAMP_AT, max_timestamp)
    (changed,) = split_batches(seal(out))
    return changed
