"""What Kafka looks at in what a producer sends, before a batch is appended (``LogValidator``).

Before it asks whose they are: where batches begin, and their format. A batch whose beginning can't be one fails the
whole request, before any other check. The partition is looked for next, and only then is there to be one whole batch of
format 2, with a codec that the producer knows. A part of another one behind it is left out.

Then each record:

| what | error |
|---|---|
| a record without a key, in a compacted topic | INVALID_RECORD |
| a timestamp later than ``message.timestamp.after.max.ms`` from now | INVALID_TIMESTAMP |
| one earlier than ``message.timestamp.before.max.ms`` ago | INVALID_TIMESTAMP |
| a batch of a producer that says the broker stamped it, in a topic that the broker stamps | INVALID_TIMESTAMP |

The client is told the numbers of these records in the batch (KIP-467). Bounds count only where timestamps are the
producer's, and a record may have none (-1). The records are decoded only where the batch's header leaves room for such
a record: its highest timestamp says nothing about the lowest.
"""

from __future__ import annotations

from collections.abc import Iterator

from kafka_nextgen.broker.refusal import Refusal
from kafka_nextgen.broker.topic_settings import TopicSettings
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import CorruptRecordError
from kafka_nextgen.types import TimestampType, TopicPartition
from kafka_nextgen.wire.records import BatchHeader, BatchView, Columns, Compression, RecordLimits, decode_partition
from kafka_nextgen.wire.records.batch_header import CODEC_AT, CODEC_MASK, LENGTH_END, MAGIC, MAGIC_AT

__all__ = ["begins_corruptly", "only_batch", "refuse_records"]

_SMALLEST = 14  # what a record of format 0 takes
_FORMATS = range(3)

_NO_TIMESTAMP = -1
_MOST_SHOWN = 3


def begins_corruptly(records: bytes) -> Refusal | None:
    """Say why the first bytes can't be a batch; None if they might be."""
    try:
        _end(records, 0)
    except CorruptRecordError as error:
        return Refusal(ErrorCode.CORRUPT_MESSAGE, str(error))
    return None


def only_batch(records: bytes, *, allow_zstd: bool) -> bytes | Refusal:
    """The one batch that a producer sends to a partition, or why it is not one."""
    try:
        end = _end(records, 0)
        if end is None:
            return Refusal(ErrorCode.INVALID_RECORD, "a partition takes a batch, and there is no whole one")
        if records[MAGIC_AT] != MAGIC:
            return Refusal(ErrorCode.INVALID_RECORD, f"message format {records[MAGIC_AT]} is refused, only 2 is taken")
        if not allow_zstd and records[CODEC_AT] & CODEC_MASK == Compression.ZSTD:
            return Refusal(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, "producers of this version don't know zstd")
        if _end(records, end) is not None:
            return Refusal(ErrorCode.INVALID_RECORD, "a partition takes one batch per request")
    except CorruptRecordError as error:
        return Refusal(ErrorCode.CORRUPT_MESSAGE, str(error))
    return records[:end]


def _end(records: bytes, start: int) -> int | None:
    """Where the batch at ``start`` ends; None if that is beyond the bytes that came."""
    left = len(records) - start
    if left < LENGTH_END:
        return None
    length = int.from_bytes(records[start + 8 : start + LENGTH_END], "big", signed=True)
    if length < _SMALLEST:
        raise CorruptRecordError(f"a length of {length} is less than any batch takes")
    if left <= MAGIC_AT:
        return None
    if records[start + MAGIC_AT] not in _FORMATS:
        raise CorruptRecordError(f"message format {records[start + MAGIC_AT]} is unknown")
    return None if left < LENGTH_END + length else start + LENGTH_END + length


def refuse_records(settings: TopicSettings, partition: TopicPartition, batch: BatchView, now_ms: int) -> Refusal | None:
    """Say why the topic does not take the records of a batch at ``now_ms`` (since the epoch); None if it does."""
    bounds = None if settings.has_log_append_time else settings.timestamps_at(now_ms)
    if not settings.is_compacted and _are_well_stamped(batch.header, bounds):
        return None
    try:
        columns = decode_partition(batch.data, partition, batch.header.base_offset, RecordLimits())
    except CorruptRecordError as error:
        return Refusal(ErrorCode.CORRUPT_MESSAGE, str(error))
    if settings.is_compacted and (keyless := list(_keyless(columns, partition))):
        return _keys_refusal(keyless)
    wrong = list(_badly_stamped(columns, batch.header, bounds))
    return _times_refusal(wrong) if wrong else None


def _are_well_stamped(header: BatchHeader, bounds: tuple[int, int] | None) -> bool:
    """Whether the header shows that no timestamp of the batch can be wrong; ``bounds`` are of the producer's."""
    if header.timestamp_type is TimestampType.LOG_APPEND_TIME:
        return False
    return bounds is None or (bounds[0] < 0 and header.max_timestamp <= bounds[1])


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
