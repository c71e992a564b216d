"""Kafka's checks of a produced batch before it is appended (``LogValidator``).

If the bytes for any partition can't be the start of a batch, the whole request fails, before any other check; up to
version 6 of Produce, it also fails if a codec is unknown. Next the partition is looked up. Then there must be exactly
one whole batch of format 2, with a codec that this version of Produce supports; an incomplete batch after it is
ignored.

The records are checked last:

| what | error |
|---|---|
| a payload that Kafka can't decompress (``payloads``) | UNKNOWN_SERVER_ERROR |
| more or fewer records than the header counts, or records whose lengths are wrong | INVALID_RECORD |
| a record without a key, in a compacted topic | INVALID_RECORD |
| a timestamp more than ``message.timestamp.after.max.ms`` in the future | INVALID_TIMESTAMP |
| one more than ``message.timestamp.before.max.ms`` in the past | INVALID_TIMESTAMP |
| a batch that the producer marks as LogAppendTime, in a topic with LogAppendTime | INVALID_TIMESTAMP |

The answer gives the indexes of these records in the batch (KIP-467). The bounds apply only if the topic uses the
producer's timestamps, and not to records without a timestamp (-1).

The header of an accepted batch gets the highest timestamp of its records instead of the producer's, and at least -1
(``LogValidator`` of 4.4).
"""

from __future__ import annotations

from collections.abc import Iterator

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import CorruptRecordError
from kafka_nextgen.testing.broker.payloads import payload_of
from kafka_nextgen.testing.broker.refusal import Refusal
from kafka_nextgen.testing.broker.topic_settings import TopicSettings
from kafka_nextgen.types import TimestampType, TopicPartition
from kafka_nextgen.wire.records import BatchHeader, BatchView, Columns, Compression, RecordLimits, decode_partition
from kafka_nextgen.wire.records.batch_header import CODEC_AT, CODEC_MASK, HEADER, LENGTH_END, MAGIC, MAGIC_AT
from kafka_nextgen.wire.records.batches import with_max_timestamp

__all__ = ["begins_corruptly", "only_batch", "refuse_codec", "refuse_header", "unknown_codec", "with_checked_records"]

_SMALLEST = 14  # the size of a record of format 0
_FORMATS = range(3)
_CODECS = frozenset(Compression)

_NO_TIMESTAMP = -1
_MOST_SHOWN = 3
_MOST_DECOMPRESSED_BYTES = 2**31 - 9  # the default of max.decompressed.message.bytes
_LENGTH_AT = 8


def begins_corruptly(records: bytes) -> Refusal | None:
    """The reason why the first bytes can't be the start of a batch; None if they can."""
    try:
        _end(records, 0)
    except CorruptRecordError as error:
        return Refusal(ErrorCode.CORRUPT_MESSAGE, str(error))
    return None


def unknown_codec(records: bytes) -> Refusal | None:
    """The refusal of a batch whose codec does not exist; None if it does, or if there is no complete batch."""
    if _end(records, 0) is None or records[MAGIC_AT] != MAGIC:
        return None
    return refuse_codec(records[CODEC_AT] & CODEC_MASK)


def refuse_codec(codec: int) -> Refusal | None:
    """The refusal of a codec that does not exist; None if it does."""
    return None if codec in _CODECS else Refusal(ErrorCode.UNKNOWN_SERVER_ERROR, f"codec {codec} is unknown")


def only_batch(records: bytes, *, allow_zstd: bool) -> bytes | Refusal:
    """The one batch that a producer sent to a partition, or the reason why it is refused."""
    try:
        end = _end(records, 0)
        if end is None:
            return Refusal(ErrorCode.INVALID_RECORD, "there is no complete batch")
        if records[MAGIC_AT] != MAGIC:
            return Refusal(
                ErrorCode.INVALID_RECORD, f"message format {records[MAGIC_AT]} is refused; only format 2 is allowed"
            )
        if not allow_zstd and records[CODEC_AT] & CODEC_MASK == Compression.ZSTD:
            return Refusal(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, "this version of Produce does not support zstd")
        if _end(records, end) is not None:
            return Refusal(ErrorCode.INVALID_RECORD, "a partition accepts only one batch per request")
    except CorruptRecordError as error:
        return Refusal(ErrorCode.CORRUPT_MESSAGE, str(error))
    return records[:end]


def _end(records: bytes, start: int) -> int | None:
    """The end of the batch at ``start``; None if the batch is incomplete."""
    left = len(records) - start
    if left < LENGTH_END:
        return None
    length = int.from_bytes(records[start + _LENGTH_AT : start + LENGTH_END], "big", signed=True)
    if length < _SMALLEST:
        raise CorruptRecordError(f"a length of {length} is too small for a batch")
    if left <= MAGIC_AT:
        return None
    if records[start + MAGIC_AT] not in _FORMATS:
        raise CorruptRecordError(f"message format {records[start + MAGIC_AT]} is unknown")
    return None if left < LENGTH_END + length else start + LENGTH_END + length


def refuse_header(header: BatchHeader) -> Refusal | None:
    """The reason why every topic refuses a batch with this header, whose checksum is correct; None if a topic may
    accept it.
    """
    if header.base_offset != 0:
        reason = f"a producer's batch must have base offset 0, not {header.base_offset}"
    elif not 0 < header.record_count == header.last_offset_delta + 1:
        reason = f"the header counts {header.record_count} records and {header.last_offset_delta + 1} offsets"
    elif header.is_control:
        reason = "a producer's batch can't be a marker"
    elif header.producer_id >= 0 and header.base_sequence < 0:
        reason = f"producer {header.producer_id} sent the invalid base sequence {header.base_sequence}"
    else:
        return None
    return Refusal(ErrorCode.INVALID_RECORD, reason)


def with_checked_records(
    settings: TopicSettings, partition: TopicPartition, batch: BatchView, now_ms: int
) -> BatchView | Refusal:
    """Return the batch as the topic stores it at ``now_ms`` (since the epoch), or the refusal of its records.

    In a topic with LogAppendTime the header's timestamp is left to ``rebase``.
    """
    columns = _decoded(partition, batch)
    if isinstance(columns, Refusal):
        return columns
    if (refusal := _refuse_records(settings, partition, columns, batch.header, now_ms)) is not None:
        return refusal
    if settings.has_log_append_time:
        return batch
    return with_max_timestamp(batch, max(_NO_TIMESTAMP, max(columns.timestamps)))


def _refuse_records(
    settings: TopicSettings, partition: TopicPartition, columns: Columns, header: BatchHeader, now_ms: int
) -> Refusal | None:
    bounds = None if settings.has_log_append_time else settings.timestamps_at(now_ms)
    if settings.is_compacted and (keyless := list(_keyless(columns, partition))):
        return _keys_refusal(keyless)
    if _are_well_stamped(columns, header, bounds):
        return None
    wrong = list(_badly_stamped(columns, header, bounds))
    return _times_refusal(wrong) if wrong else None


def _decoded(partition: TopicPartition, batch: BatchView) -> Columns | Refusal:
    plain = batch.data
    try:
        if batch.header.codec != Compression.NONE:
            plain = _without_codec(batch)
    except CorruptRecordError as error:
        return Refusal(ErrorCode.UNKNOWN_SERVER_ERROR, f"the batch can't be decompressed: {error}")
    try:
        return decode_partition(plain, partition, batch.header.base_offset, RecordLimits(), check_crc=False)
    except CorruptRecordError as error:
        return Refusal(ErrorCode.INVALID_RECORD, str(error))


def _without_codec(batch: BatchView) -> memoryview:
    """The batch as if its producer had not compressed it, except for the checksum."""
    payload = payload_of(batch.header.codec, batch.data[HEADER.size :], _MOST_DECOMPRESSED_BYTES)
    plain = bytearray(batch.data[: HEADER.size])
    plain[CODEC_AT] &= ~CODEC_MASK & 0xFF
    plain[_LENGTH_AT:LENGTH_END] = (HEADER.size - LENGTH_END + len(payload)).to_bytes(4, "big")
    plain += payload
    return memoryview(plain)


def _are_well_stamped(columns: Columns, header: BatchHeader, bounds: tuple[int, int] | None) -> bool:
    """Whether all timestamps are valid, judged by the lowest and the highest; ``bounds`` apply to the producer's."""
    if header.timestamp_type is TimestampType.LOG_APPEND_TIME:
        return False
    return bounds is None or (bounds[0] <= min(columns.timestamps) and max(columns.timestamps) <= bounds[1])


def _keyless(columns: Columns, partition: TopicPartition) -> Iterator[tuple[int, str]]:
    name = f"{partition.topic}-{partition.partition}"
    for number, key in enumerate(columns.keys):
        if key is None:
            yield number, f"Compacted topic cannot accept message without key in topic partition {name}"


def _badly_stamped(columns: Columns, header: BatchHeader, bounds: tuple[int, int] | None) -> Iterator[tuple[int, str]]:
    for number, timestamp in enumerate(columns.timestamps):
        if bounds is not None and timestamp != _NO_TIMESTAMP:
            if not bounds[0] <= timestamp <= bounds[1]:
                where = f"Timestamp {timestamp} of message with offset {number} is out of range."
                yield number, f"{where} The timestamp should be within [{bounds[0]}, {bounds[1]}]"
        elif header.timestamp_type is TimestampType.LOG_APPEND_TIME:
            where = f"Invalid timestamp type in message with offset {number}."
            yield number, f"{where} Producer should not set timestamp type to LogAppendTime."


def _keys_refusal(records: list[tuple[int, str]]) -> Refusal:
    shown = ", ".join(f"RecordError(batchIndex={at}, message='{why}')" for at, why in records[:_MOST_SHOWN])
    text = (
        f"One or more records have been rejected due to {len(records)} record errors in total, "
        f"and only showing the first three errors at most: [{shown}]"
    )
    return Refusal(ErrorCode.INVALID_RECORD, text, tuple(records))


def _times_refusal(records: list[tuple[int, str]]) -> Refusal:
    text = "One or more records have been rejected due to invalid timestamp"
    return Refusal(ErrorCode.INVALID_TIMESTAMP, text, tuple(records))
