"""What Kafka sees of a partition's bytes before it asks whose they are: where batches begin, and their format.

A batch whose beginning can't be one fails the whole request, before any other check. The partition is looked
for next, and only then is there to be one whole batch of format 2, with a codec that the producer knows. A part of
another one behind it is left out.
"""

from __future__ import annotations

from kafka_nextgen.broker.refusal import Refusal
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import CorruptRecordError
from kafka_nextgen.wire.records import Compression
from kafka_nextgen.wire.records.batch_header import CODEC_AT, CODEC_MASK, LENGTH_END, MAGIC, MAGIC_AT

__all__ = ["begins_corruptly", "only_batch"]

_SMALLEST = 14  # what a record of format 0 takes
_FORMATS = range(3)


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
