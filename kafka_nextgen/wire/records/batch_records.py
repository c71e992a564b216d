"""The records inside one batch.

    record: length, attributes (one byte, unused), timestamp delta, offset delta, key, value, headers

Every number is a zigzag varint (the timestamp delta is a varlong): seven bits per byte, lowest first, with the sign in
the lowest bit. A negative length means null. A record ends exactly where its length says, and the batch ends with its
last record.

Brokers check producers' records less strictly, so everything that a broker may store is read:

- A batch with as many records as offsets has one record for each, even if the records state other offsets. If
  compaction removed some, the offsets of the remaining records increase and stay inside the batch's span.
- A number may be padded with empty bytes, and bits beyond 32 (a varint, at most 5 bytes) or 64 (a varlong, at most 10
  bytes) are dropped.
- Timestamps are added in 64 bits, and overflow is not detected.
- A header's key need not be UTF-8. Invalid bytes are replaced by U+FFFD, as in Java's consumer.

This is the inner loop of all reading, so it is written for speed: varints of one and two bytes are decoded inline, and
entries are appended to buffers without calling a Python function. Positions are not compared with the end while a
record is read: they never decrease, so a record that exceeds the buffer fails the one comparison at its end, or raises
``IndexError`` earlier.
"""

from __future__ import annotations

from array import array

from kafka_nextgen.errors import CorruptRecordError
from kafka_nextgen.types import TimestampType
from kafka_nextgen.wire.records.batch_header import BatchHeader
from kafka_nextgen.wire.records.columns import ColumnsBuilder, HeaderBuilder

__all__ = ["append_records"]

LEAST_RECORD_BYTES = 7  # length, attributes, two deltas, two null lengths, header count: one byte each
ZIGZAG = tuple((raw >> 1) ^ -(raw & 1) for raw in range(0x80))


def append_records(gathered: ColumnsBuilder, header: BatchHeader, payload: bytes) -> None:
    """Append the records of a batch from the ``next_offset`` of ``gathered`` on.

    ``payload`` is everything after the batch's header, uncompressed. Raises ``CorruptRecordError`` and then leaves
    ``gathered`` unchanged.
    """
    if header.record_count * LEAST_RECORD_BYTES > len(payload):
        raise CorruptRecordError(f"{header.record_count} records are declared in {len(payload)} bytes")
    count, had_headers = len(gathered.offsets), gathered.headers is not None
    try:
        _read(payload, header, gathered)
    except (IndexError, CorruptRecordError) as error:
        gathered.cut(count, had_headers)
        if isinstance(error, IndexError):
            raise CorruptRecordError("a record ends after the batch") from None
        raise
    new = len(gathered.offsets) - count
    if header.timestamp_type == TimestampType.LOG_APPEND_TIME:  # the producer's times are ignored
        gathered.timestamps[count:] = array("q", (header.max_timestamp,)) * new
    gathered.leader_epochs += array("i", (header.leader_epoch,)) * new
    gathered.timestamp_types += array("b", (header.timestamp_type,)) * new


def _read(data: bytes, header: BatchHeader, gathered: ColumnsBuilder) -> None:  # noqa: C901  (one sequential pass)
    """Read all records of a batch, and append offset, time, key, value and headers of the wanted ones."""
    keys, values = gathered.keys, gathered.values
    key_data, add_null_key, end_key = keys.data, keys.nulls.append, keys.bounds.append
    value_data, add_null_value, end_value = values.data, values.nulls.append, values.bounds.append
    add_offset, add_time = gathered.offsets.append, gathered.timestamps.append
    base_offset, base_time, wanted_from = header.base_offset, header.base_timestamp, gathered.next_offset
    zigzag = ZIGZAG
    is_full = header.record_count == header.last_offset_delta + 1  # one record for each offset
    row = len(keys.bounds) - 1
    pos, delta = 0, -1
    for _ in range(header.record_count):
        raw = data[pos]
        if raw < 0x80:
            pos += 1
            end = pos + zigzag[raw]
        elif 0 < (high := data[pos + 1]) < 0x80:
            pos += 2
            raw += (high - 1) << 7
            end = pos + (raw >> 1 ^ -(raw & 1))
        else:
            length, pos = _varint(data, pos)
            end = pos + length

        pos += 1  # the attributes
        raw = data[pos]
        if raw < 0x80:
            pos += 1
            time = base_time + zigzag[raw]
        elif 0 < (high := data[pos + 1]) < 0x80:
            pos += 2
            raw += (high - 1) << 7
            time = base_time + (raw >> 1 ^ -(raw & 1))
        else:
            time, pos = _varint(data, pos, 64)
            time += base_time

        previous = delta
        raw = data[pos]
        if raw < 0x80:
            pos += 1
            delta = zigzag[raw]
        elif 0 < (high := data[pos + 1]) < 0x80:
            pos += 2
            raw += (high - 1) << 7
            delta = raw >> 1 ^ -(raw & 1)
        else:
            delta, pos = _varint(data, pos)
        if is_full:
            delta = previous + 1
        elif delta <= previous:
            raise CorruptRecordError(f"offset delta {delta} follows {previous}")
        elif delta > header.last_offset_delta:
            span = header.last_offset_delta + 1
            raise CorruptRecordError(f"a record's offset lies outside the batch's {span} offsets")

        raw = data[pos]
        if raw < 0x80:
            pos += 1
            size = zigzag[raw]
        else:
            size, pos = _varint(data, pos)
        key = None
        if size >= 0:
            key = data[pos : pos + size]
            pos += size

        raw = data[pos]
        if raw < 0x80:
            pos += 1
            size = zigzag[raw]
        elif 0 < (high := data[pos + 1]) < 0x80:
            pos += 2
            raw += (high - 1) << 7
            size = raw >> 1 ^ -(raw & 1)
        else:
            size, pos = _varint(data, pos)
        value = None
        if size >= 0:
            value = data[pos : pos + size]
            pos += size

        is_wanted = base_offset + delta >= wanted_from
        if data[pos]:
            pos = _read_headers(data, pos, gathered, is_wanted)
        else:
            pos += 1
        if pos != end:
            raise CorruptRecordError(f"a record's length is off by {end - pos} bytes")
        if not is_wanted:
            continue

        add_offset(base_offset + delta)
        try:
            add_time(time)
        except OverflowError:
            add_time((time + 2**63) % 2**64 - 2**63)
        if key is None:
            add_null_key(row)
        else:
            key_data += key
        end_key(len(key_data))
        if value is None:
            add_null_value(row)
        else:
            value_data += value
        end_value(len(value_data))
        row += 1
        if gathered.headers is not None:
            gathered.headers.bounds.append(len(gathered.headers.keys))
    if pos != len(data):
        raise CorruptRecordError(f"{len(data) - pos} bytes follow the last record")


def _read_headers(data: bytes, pos: int, gathered: ColumnsBuilder, is_wanted: bool) -> int:
    """Read a record's headers one by one, because there may be millions; return the position after them."""
    count, pos = _varint(data, pos)
    if count < 0:
        raise CorruptRecordError(f"a record has {count} headers")
    if count == 0:  # padded
        return pos
    headers = gathered.headers
    if headers is None:  # no earlier record had any
        headers = gathered.headers = HeaderBuilder(array("i", (0,)) * (len(gathered) + 1))
    for _ in range(count):
        size, pos = _varint(data, pos)
        if size < 0:
            raise CorruptRecordError(f"the length of a header's key is {size}")
        key = data[pos : pos + size]
        size, pos = _varint(data, pos + size)
        if is_wanted:
            headers.keys.append(key if key.isascii() else key.decode(errors="replace").encode())
            headers.values.append(data[pos : pos + size] if size >= 0 else None)
        pos += max(size, 0)
    return pos


def _varint(data: bytes, pos: int, bits: int = 32) -> tuple[int, int]:
    """Read a varint of at most ``bits`` bits; return the number and the position after it."""
    raw = data[pos]
    if raw < 0x80:
        return ZIGZAG[raw], pos + 1
    raw = shift = 0
    while True:
        byte = data[pos]
        pos += 1
        raw |= (byte & 0x7F) << shift
        if byte < 0x80:
            break
        shift += 7
        if shift >= bits:
            raise CorruptRecordError(f"a varint of {bits} bits does not end")
    raw &= (1 << bits) - 1
    return (raw >> 1) ^ -(raw & 1), pos
