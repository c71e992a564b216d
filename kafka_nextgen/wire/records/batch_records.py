"""The records inside one batch.

    record: length, attributes (one byte, unused), timestamp delta, offset delta, key, value, headers

Every number is a varint (the timestamp delta a varlong), a length below 0 that of a null. A record ends exactly where
its length says, the batch where its last record ends.

What a broker stores is read, as brokers look at records from producers less closely than that:

- A batch with as many records as offsets has one record for each, even if the records state other offsets. Where
  compaction took some out, those that are left rise and stay inside the batch's span.
- Timestamps are added up in 64 bits, without a sign of overflow.
- A header's key need not be UTF-8. What isn't is replaced by U+FFFD, as in Java's consumer.

This is the inner loop of everything that reads, so it is written for speed: columns instead of objects, varints
of one and two bytes decoded in place. No position is compared with the end on the way: positions never go back,
so a record that left the buffer fails the one comparison at its end, or raises ``IndexError`` before.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left

from attrs import Factory, define

from kafka_nextgen.errors import CorruptRecordError
from kafka_nextgen.types import TimestampType
from kafka_nextgen.wire.records.batch_header import BatchHeader
from kafka_nextgen.wire.records.column_builders import OBJECTS_AT_ONCE, ColumnsBuilder
from kafka_nextgen.wire.records.varints import read_varint, read_varlong

__all__ = ["append_records"]

LEAST_RECORD_BYTES = 7  # length, attributes, two deltas, two null lengths, header count: a byte each
ZIGZAG = tuple((raw >> 1) ^ -(raw & 1) for raw in range(0x80))


@define
class _Rows:
    """Some records of one batch that follow each other, as objects.

    Their headers go to ``gathered`` one by one, for one record may have millions.
    """

    gathered: ColumnsBuilder
    wanted_from: int  # an offset delta
    offset_deltas: list[int] = Factory(list)
    timestamp_deltas: list[int] = Factory(list)
    keys: list[bytes | None] = Factory(list)
    values: list[bytes | None] = Factory(list)
    header_counts: dict[int, int] = Factory(dict)  # by index, of the records that have any


def append_records(gathered: ColumnsBuilder, header: BatchHeader, payload: bytes) -> None:
    """Append the records of a batch that ``gathered`` does not have yet: those from its ``next_offset`` on.

    ``payload`` is everything after the batch's header, uncompressed. Raises ``CorruptRecordError``, leaving
    ``gathered`` as it was.
    """
    if header.record_count * LEAST_RECORD_BYTES > len(payload):
        raise CorruptRecordError(f"{header.record_count} records are said to lie in {len(payload)} bytes")
    count, had_headers = len(gathered), gathered.headers is not None
    try:
        _append_all(gathered, header, payload)
    except (IndexError, CorruptRecordError) as error:
        gathered.cut(count, had_headers)
        if isinstance(error, IndexError):
            raise CorruptRecordError("a record ends after the batch") from None
        raise


def _append_all(gathered: ColumnsBuilder, header: BatchHeader, payload: bytes) -> None:
    wanted_from = gathered.next_offset - header.base_offset
    pos, last_offset = 0, -1
    is_full = header.record_count == header.last_offset_delta + 1
    for read in range(0, header.record_count, OBJECTS_AT_ONCE):
        rows = _Rows(gathered, wanted_from)
        pos = _read(payload, pos, min(OBJECTS_AT_ONCE, header.record_count - read), last_offset, is_full, rows)
        last_offset = rows.offset_deltas[-1]
        if last_offset > header.last_offset_delta:
            span = header.last_offset_delta + 1
            raise CorruptRecordError(f"a record's offset lies outside the batch's {span} offsets")
        _append_rows(gathered, header, rows)
    if pos != len(payload):
        raise CorruptRecordError(f"{len(payload) - pos} bytes follow the last record")


def _append_rows(gathered: ColumnsBuilder, header: BatchHeader, rows: _Rows) -> None:
    first = bisect_left(rows.offset_deltas, rows.wanted_from)
    _append_times(gathered, header, rows.timestamp_deltas[first:])
    _append_headers(gathered, rows, first)
    base = header.base_offset
    count = len(rows.offset_deltas) - first
    gathered.offsets.extend([base + delta for delta in rows.offset_deltas[first:]])
    gathered.keys.extend(rows.keys[first:])
    gathered.values.extend(rows.values[first:])
    gathered.leader_epochs.extend([header.leader_epoch] * count)
    gathered.timestamp_types.extend([header.timestamp_type] * count)


def _append_headers(gathered: ColumnsBuilder, rows: _Rows, first: int) -> None:
    if gathered.headers is not None:
        counts = rows.header_counts
        gathered.headers.end_records([counts.get(i, 0) for i in range(first, len(rows.keys))])


def _append_times(gathered: ColumnsBuilder, header: BatchHeader, deltas: list[int]) -> None:
    if header.timestamp_type == TimestampType.LOG_APPEND_TIME:
        times = [header.max_timestamp] * len(deltas)  # the records keep the producer's, which no longer counts
    else:
        base = header.base_timestamp
        times = [base + delta for delta in deltas]
    try:
        added = array("q", times)
    except OverflowError:
        added = array("q", [(time + 2**63) % 2**64 - 2**63 for time in times])
    gathered.timestamps.extend(added)


def _read(  # noqa: C901  (a call per number would cost half the speed)
    data: bytes, pos: int, count: int, last_offset: int, is_full: bool, rows: _Rows
) -> int:
    """Read so many records from ``pos`` on, behind one of ``last_offset`` (-1: none); answers with where they end.

    ``is_full`` says that the batch has a record for each of its offsets.
    """
    add_offset, add_time = rows.offset_deltas.append, rows.timestamp_deltas.append
    add_key, add_value = rows.keys.append, rows.values.append
    zigzag = ZIGZAG
    for index in range(count):
        raw = data[pos]
        if raw < 0x80:
            pos += 1
            end = pos + zigzag[raw]
        elif 0 < (high := data[pos + 1]) < 0x80:
            pos += 2
            raw += (high - 1) << 7
            end = pos + (raw >> 1 ^ -(raw & 1))
        else:
            length, pos = read_varint(data, pos)
            end = pos + length

        pos += 1  # the attributes
        raw = data[pos]
        if raw < 0x80:
            pos += 1
            add_time(zigzag[raw])
        elif 0 < (high := data[pos + 1]) < 0x80:
            pos += 2
            raw += (high - 1) << 7
            add_time(raw >> 1 ^ -(raw & 1))
        else:
            delta, pos = read_varlong(data, pos)
            add_time(delta)

        raw = data[pos]
        if raw < 0x80:
            pos += 1
            offset = zigzag[raw]
        elif 0 < (high := data[pos + 1]) < 0x80:
            pos += 2
            raw += (high - 1) << 7
            offset = raw >> 1 ^ -(raw & 1)
        else:
            offset, pos = read_varint(data, pos)
        if is_full:
            offset = last_offset + 1
        elif offset <= last_offset:
            raise CorruptRecordError(f"offset delta {offset} follows {last_offset}")
        last_offset = offset
        add_offset(offset)

        raw = data[pos]
        if raw == 1:  # -1, as all producers write it
            pos += 1
            add_key(None)
        else:
            if raw < 0x80:
                pos += 1
                size = zigzag[raw]
            else:
                size, pos = read_varint(data, pos)
            add_key(data[pos : pos + size] if size >= 0 else None)
            pos += max(size, 0)

        raw = data[pos]
        if raw < 0x80:
            pos += 1
            size = zigzag[raw]
        elif 0 < (high := data[pos + 1]) < 0x80:
            pos += 2
            raw += (high - 1) << 7
            size = raw >> 1 ^ -(raw & 1)
        else:
            size, pos = read_varint(data, pos)
        if size >= 0:
            add_value(data[pos : pos + size])
            pos += size
        else:
            add_value(None)

        if data[pos]:
            pos = _read_headers(data, pos, rows, index, offset >= rows.wanted_from)
        else:
            pos += 1
        if pos != end:
            raise CorruptRecordError(f"a record's length is off by {end - pos} bytes")
    return pos


def _read_headers(data: bytes, pos: int, rows: _Rows, index: int, is_wanted: bool) -> int:
    count, pos = read_varint(data, pos)
    if count < 0:
        raise CorruptRecordError(f"a record has {count} headers")
    if count == 0:  # padded
        return pos
    rows.header_counts[index] = count
    headers = rows.gathered.need_headers()
    for _ in range(count):
        size, pos = _read_length(data, pos)
        if size < 0:
            raise CorruptRecordError(f"the length of a header's key is {size}")
        key = _utf8(data[pos : pos + size])
        size, pos = _read_length(data, pos + size)
        if is_wanted:
            headers.keys.append(key)
            headers.values.append(data[pos : pos + size] if size >= 0 else None)
        pos += max(size, 0)
    return pos


def _read_length(data: bytes, pos: int) -> tuple[int, int]:
    raw = data[pos]
    return (ZIGZAG[raw], pos + 1) if raw < 0x80 else read_varint(data, pos)


def _utf8(key: bytes) -> bytes:
    return key if key.isascii() else key.decode(errors="replace").encode()
