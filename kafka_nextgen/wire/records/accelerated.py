"""The compiled decoder, if available: decodes valid data to columns without an object per record.

It produces the same columns as ``decode.py``. For invalid bytes it only returns None: the Python decoder then reads the
same bytes, and reports what is wrong or determines where to stop.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

from kafka_nextgen.compiled import ACCELERATED, accelerator
from kafka_nextgen.errors import CorruptRecordError
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records.batch_header import HEADER
from kafka_nextgen.wire.records.columns import BinaryColumn, Columns, HeaderColumn
from kafka_nextgen.wire.records.compression import decompress_view
from kafka_nextgen.wire.records.joint_decompression import decompress_jointly

__all__ = ["decode_sound", "let_go_of_memory", "unfilled"]


def decode_sound(
    data: memoryview,
    partition: TopicPartition,
    fetch_offset: int,
    limit_bytes: int,
    check_crc: bool,
    skipped: Sequence[int],
) -> Columns | None:
    """Decode like ``decode_partition``, decompressing at most ``limit_bytes``; None if only the Python decoder can."""
    left_out = array("q", skipped)
    scanned = accelerator.scan(data, fetch_offset, check_crc, left_out)
    if scanned is None:
        return None
    compressed = scanned[2]
    payloads, stop = _decompress_all(data, compressed, limit_bytes) if compressed else ((), None)
    if stop is not None:  # as if the data ended there, unless nothing precedes it
        data = data[:stop]
        scanned = accelerator.scan(data, fetch_offset, False, left_out)
        if scanned is None or scanned[0] == fetch_offset:
            return None
    decoded = accelerator.decode(data, fetch_offset, left_out, payloads)
    if decoded is None:
        return None
    next_offset, end_epoch, _ = scanned
    offsets, timestamps, keys, values, headers, leader_epochs, timestamp_types, data_bytes = decoded
    return Columns(
        partition,
        next_offset,
        memoryview(offsets).cast("q"),
        memoryview(timestamps).cast("q"),
        _entries(keys),
        _entries(values),
        None
        if headers is None
        else HeaderColumn(memoryview(headers[0]).cast("i"), _entries(headers[1]), _entries(headers[2])),
        memoryview(leader_epochs).cast("i"),
        memoryview(timestamp_types).cast("b"),
        data_bytes,
        truncated=next_offset == fetch_offset and len(data) > 0,
        end_epoch=end_epoch,
    )


def unfilled(size: int) -> bytearray:
    """A buffer of this size. Its content is undefined, because the compiled version does not fill it."""
    return accelerator.new_bytearray(size) if ACCELERATED else bytearray(size)


def let_go_of_memory() -> None:
    """Free the memory of deleted columns, of which up to 32 MiB are kept for reuse."""
    if ACCELERATED:
        accelerator.let_go()


def _decompress_all(
    data: memoryview, compressed: Sequence[tuple[int, int, int]], limit_bytes: int
) -> tuple[tuple[memoryview, ...], int | None]:
    """Decompress these records; return them, and the position of the first batch that can't be decompressed, if any."""
    joint = decompress_jointly(data, compressed, limit_bytes)
    return (joint, None) if joint is not None else _decompress_each(data, compressed, limit_bytes)


def _decompress_each(
    data: memoryview, compressed: Iterable[tuple[int, int, int]], limit_bytes: int
) -> tuple[tuple[memoryview, ...], int | None]:
    payloads: list[memoryview] = []
    for codec, start, stop in compressed:
        try:
            payload = decompress_view(codec, data[start:stop], limit_bytes)
        except CorruptRecordError:
            return tuple(payloads), start - HEADER.size
        limit_bytes -= len(payload)
        payloads.append(payload)
    return tuple(payloads), None


def _entries(buffers: tuple[bytes | memoryview, bytes | memoryview, bytes | memoryview | None]) -> BinaryColumn:
    data, bounds, validity = buffers
    return BinaryColumn(data, memoryview(bounds).cast("i"), validity)
