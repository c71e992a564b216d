"""Encodes records as a batch, for ``kafka-nextgen produce``, the demonstration and the tests.

The broker assigns offsets, so a producer counts from base offset 0 in steps of one. A compacted log has gaps;
``offset_delta`` and ``last_offset_delta`` create such batches for tests.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import field

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.types import TimestampType
from kafka_nextgen.wire.records.batch_header import (
    CONTROL,
    CRC_START,
    HEADER,
    LENGTH_END,
    LOG_APPEND_TIME,
    MAGIC,
    TRANSACTIONAL,
)
from kafka_nextgen.wire.records.compression import Compression, compress

__all__ = ["NewRecord", "encode_batch"]


@frozen
class NewRecord:
    """A record to write.

    ``timestamp`` is in milliseconds since the epoch; ``offset_delta`` is counted from the batch's base offset; None
    means one more than the previous record's.
    """

    value: bytes | None
    key: bytes | None = None
    timestamp: int = -1
    headers: Sequence[tuple[str, bytes | None]] = field(default=())
    offset_delta: int | None = None


def encode_batch(
    records: Sequence[NewRecord],
    compression: Compression = Compression.NONE,
    *,
    base_offset: int = 0,
    leader_epoch: int = -1,
    producer_id: int = -1,
    producer_epoch: int = -1,
    base_sequence: int = -1,
    last_offset_delta: int | None = None,
    timestamp_type: TimestampType = TimestampType.CREATE_TIME,
    transactional: bool = False,
    control: bool = False,
) -> bytes:
    """Encode one batch of format 2 (KIP-98, "Message Format").

    The base timestamp is the first record's, -1 without records. If ``last_offset_delta`` is None, it is the last
    record's. With ``timestamp_type`` LOG_APPEND_TIME readers see the latest of the records' timestamps for all of them.
    """
    times = [record.timestamp for record in records] or [-1]
    last_delta, body = _encode_records(records, times[0])
    attributes = compression | (TRANSACTIONAL if transactional else 0) | (CONTROL if control else 0)
    if timestamp_type == TimestampType.LOG_APPEND_TIME:
        attributes |= LOG_APPEND_TIME
    body = compress(compression, body)
    batch = bytearray(HEADER.size)
    batch += body
    HEADER.pack_into(
        batch,
        0,
        base_offset,
        len(batch) - LENGTH_END,
        leader_epoch,
        MAGIC,
        0,
        attributes,
        last_delta if last_offset_delta is None else last_offset_delta,
        times[0],
        max(times),
        producer_id,
        producer_epoch,
        base_sequence,
        len(records),
    )
    return seal(batch)


def seal(batch: bytearray) -> bytes:
    """Write the CRC-32C of a batch into its header."""
    from crc32c import crc32c  # imported here, as in ``batch_header.verify_crc``

    batch[CRC_START - 4 : CRC_START] = crc32c(memoryview(batch)[CRC_START:]).to_bytes(4, "big")
    return bytes(batch)


def _encode_records(records: Sequence[NewRecord], base_timestamp: int) -> tuple[int, bytes]:
    out = bytearray()
    offset_delta = -1
    for record in records:
        offset_delta = offset_delta + 1 if record.offset_delta is None else record.offset_delta
        body = _encode_record(record, offset_delta, record.timestamp - base_timestamp)
        write_varint(out, len(body))
        out += body
    return max(offset_delta, 0), bytes(out)


def _encode_record(record: NewRecord, offset_delta: int, timestamp_delta: int) -> bytearray:
    body = bytearray(1)  # the attributes, unused
    write_varint(body, timestamp_delta)
    write_varint(body, offset_delta)
    _write_bytes(body, record.key)
    _write_bytes(body, record.value)
    write_varint(body, len(record.headers))
    for key, value in record.headers:
        _write_bytes(body, key.encode())
        _write_bytes(body, value)
    return body


def _write_bytes(out: bytearray, value: bytes | None) -> None:
    if value is None:
        write_varint(out, -1)
    else:
        write_varint(out, len(value))
        out += value


def write_varint(out: bytearray, number: int) -> None:
    """Append a number of up to 64 bits as a varlong; for 32-bit numbers that is the same as a varint."""
    raw = (number << 1) ^ (number >> 63)
    while raw > 0x7F:
        out.append(0x80 | raw & 0x7F)
        raw >>= 7
    out.append(raw)
