"""Decodes bytes of a partition to columns.

- Batches follow each other with increasing offsets. The last one may be cut off by the size limit of the request (Fetch
  returns bytes of the log, not batches); it is left for the next request. If it is also the first one, the same request
  would return the same data, which ``truncated`` in the columns indicates.
- A batch may begin before the requested offset; earlier records are dropped.
- A control batch has no records for the application, but advances ``next_offset``. So do offsets that no longer have a
  record, and batches to skip (``skipped``).
- Corruption is never skipped. If the data begins with it, an error is raised. If it follows complete batches, these are
  returned and ``next_offset`` is the corrupt position, so that the next request begins there.
- The total uncompressed size of one call's batches is limited. A single batch that exceeds the limit counts as corrupt;
  if only the total exceeds it, the call ends early, as if the rest had been cut off.

The compiled decoder, if available, decodes valid data (``accelerated.py``). ``decode_in_python`` defines its results,
and handles everything else.
"""

from __future__ import annotations

from collections.abc import Sequence

from kafka_nextgen.compiled import ACCELERATED
from kafka_nextgen.errors import CorruptRecordError, OldFormatError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records.accelerated import decode_sound
from kafka_nextgen.wire.records.batch_header import HEADER, BatchHeader, check_header, read_header, verify_crc
from kafka_nextgen.wire.records.batch_records import append_records
from kafka_nextgen.wire.records.columns import Columns, ColumnsBuilder
from kafka_nextgen.wire.records.compression import Compression, decompress

__all__ = ["RecordLimits", "decode_partition"]


@frozen
class RecordLimits:
    """Limits on the memory for the records of a response.

    ``max_decompressed_bytes`` limits the decompressed batches of one partition, both each one and their total. Once
    ``max_answer_bytes`` is reached, no further partition of the response is decoded.
    """

    max_decompressed_bytes: int = 64 * 1024 * 1024
    max_answer_bytes: int = 256 * 1024 * 1024


def decode_partition(
    data: bytes | bytearray | memoryview,
    partition: TopicPartition,
    fetch_offset: int,
    limits: RecordLimits,
    check_crc: bool = True,
    skipped: Sequence[int] = (),
) -> Columns:
    """Decode the records of one partition in a Fetch response.

    ``fetch_offset`` is the requested offset: no earlier record is returned. ``check_crc`` is Kafka's ``check.crcs``.
    ``skipped`` contains the base offsets, in increasing order, of batches whose records are left out. Raises
    ``CorruptRecordError``, which names the partition and offset, if the first batch to read is corrupt, or
    ``OldFormatError`` if it has format 0 or 1. (KIP-98, "Message Format"; Kafka 0.11 and newer)
    """
    view = memoryview(data)
    if ACCELERATED:
        columns = decode_sound(view, partition, fetch_offset, limits.max_decompressed_bytes, check_crc, skipped)
        if columns is not None:
            return columns
    return decode_in_python(view, partition, fetch_offset, limits, check_crc, skipped)


def decode_in_python(
    view: memoryview,
    partition: TopicPartition,
    fetch_offset: int,
    limits: RecordLimits,
    check_crc: bool = True,
    skipped: Sequence[int] = (),
) -> Columns:
    """Decode like ``decode_partition``, but only in Python. This defines the correct results and errors."""
    gathered = ColumnsBuilder(fetch_offset)
    left_bytes, left_out = limits.max_decompressed_bytes, frozenset(skipped)
    start = log_offset = 0
    try:
        while (header := read_header(view, start)) is not None:
            batch = view[start : start + header.size]
            if check_crc:
                verify_crc(header, batch)
            check_header(header)
            if header.base_offset < log_offset:
                after = f"after a batch that ends at {log_offset - 1}"
                raise CorruptRecordError(f"its base offset is {header.base_offset} {after}")
            start += len(batch)
            log_offset = header.next_offset
            if log_offset > gathered.next_offset and not header.is_control and header.base_offset not in left_out:
                left_bytes -= _append(gathered, header, batch, left_bytes)
            gathered.next_offset = max(fetch_offset, log_offset)
            gathered.end_epoch = header.leader_epoch
    except CorruptRecordError as error:
        if gathered.next_offset == fetch_offset:
            raise _located(error, partition, fetch_offset) from error
    return gathered.finish(partition, truncated=gathered.next_offset == fetch_offset and len(view) > 0)


def _append(gathered: ColumnsBuilder, header: BatchHeader, batch: memoryview, limit_bytes: int) -> int:
    """Append a batch's records to ``gathered``; return the number of bytes that were decompressed."""
    records, decompressed_bytes = batch[HEADER.size :], 0
    if header.codec == Compression.NONE:
        payload = bytes(records)
    else:
        payload = decompress(header.codec, records, limit_bytes)
        decompressed_bytes = len(payload)
    append_records(gathered, header, payload)
    gathered.data_bytes += len(payload)
    return decompressed_bytes


def _located(error: CorruptRecordError, partition: TopicPartition, offset: int) -> CorruptRecordError:
    if isinstance(error, OldFormatError):
        return OldFormatError(
            f"{partition} can't be read at offset {offset}: {error}. Nothing was skipped; seek past these records to"
            f" continue, or copy them to another topic with a client that can read them, such as Kafka's own.",
            partition,
            offset,
        )
    return CorruptRecordError(
        f"{partition} can't be read at offset {offset}: the batch there is corrupt, {error}."
        f" Nothing was skipped; seek past it to continue, or fetch again in case it was corrupted in transit.",
        partition,
        offset,
    )
