"""Bytes of a partition to columns.

- Batches follow each other, their offsets rising. The last one may be cut short by the size limit of the request
  (Fetch answers with bytes of the log, not with batches): it is left for the next request. If that is the first
  one, asking again in the same way would bring the same, and the columns say so (``truncated``).
- A batch may begin before the offset asked for; what lies before it is dropped.
- A control batch gives no record, but moves ``next_offset``. So do offsets that have no record any more, and batches
  that are to be skipped (``aborted`` says which those are).
- Corruption is never skipped. Met first, it is raised; after whole batches, those are answered and
  ``next_offset`` stops in front of it, so that the next request meets it first.
- What all batches of one call may take uncompressed is limited. A batch that exceeds the limit alone counts as
  corrupt; if only the sum does, the call ends early, as if the rest had been cut off.

What is sound is decoded by the compiled decoder, if there is one (``accelerated.py``). ``decode_in_python`` says what
that has to come to, and has the last word on everything else.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from kafka_nextgen.compiled import ACCELERATED
from kafka_nextgen.errors import CorruptRecordError, OldFormatError
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records.accelerated import decode_sound
from kafka_nextgen.wire.records.batch_header import HEADER, BatchHeader, check_header, read_header, verify_crc
from kafka_nextgen.wire.records.batch_records import append_records
from kafka_nextgen.wire.records.columns import Columns, ColumnsBuilder
from kafka_nextgen.wire.records.compression import Compression, decompress

__all__ = ["RecordLimits", "decode_partition"]


@frozen
class RecordLimits:
    """How much memory the records of an answer may take.

    ``max_decompressed_bytes`` bounds what the compressed batches of one partition become: each alone and all together.
    ``max_answer_bytes`` is where no further partition of the answer is decoded.
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
    """Decode what a Fetch answered for one partition.

    ``fetch_offset`` is the offset that was asked for: no record before it is answered. ``check_crc`` is
    Kafka's ``check.crcs``. ``skipped`` has the base offsets of batches, rising, whose records are left out. Raises
    ``CorruptRecordError``, naming partition and offset, if what is to be read first is corrupt, as ``OldFormatError``
    if it is of format 0 or 1. (KIP-98, "Message Format"; Kafka 0.11 and newer)
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
    """Decode as ``decode_partition`` does, by nothing but Python: what this answers or raises is what it has to be."""
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
    """Append a batch's records to ``gathered``; returns how many bytes were decompressed for that."""
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
            f"{partition} can't be read at offset {offset}: {error}. Nothing was skipped; seek past these records to go"
            f" on, or have a client that reads them, such as Kafka's own, copy them to another topic.",
            partition,
            offset,
        )
    return CorruptRecordError(
        f"{partition} can't be read at offset {offset}: the batch there is corrupt, {error}."
        f" Nothing was skipped; seek past it to go on, or fetch again in case it broke on the way.",
        partition,
        offset,
    )
