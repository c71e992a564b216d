"""Checks a produced batch and appends it. The checks are made in Kafka's order:

* the checksum is correct, and the codec exists;
* the batch is not a marker, and its header gives the same number of records and offsets;
* the size is within ``max.message.bytes``;
* the payload can be read, and the keys and timestamps are valid for the topic (``batch_checks``);
* a transactional batch belongs to an open transaction with this partition;
* a batch of an idempotent producer is the next in its sequence, or repeats one of its latest batches.

A transaction's first batch in a partition is verified with the transaction coordinator (KIP-890), so a batch that
arrives after the end of its transaction can't begin one that would never end.
"""

from __future__ import annotations

from collections.abc import Callable

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import CorruptRecordError, StorageError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.logs import logger_of
from kafka_nextgen.testing.broker.batch_checks import refuse_codec, refuse_header, with_checked_records
from kafka_nextgen.testing.broker.cleanup import compact_if_due
from kafka_nextgen.testing.broker.producers import Seen
from kafka_nextgen.testing.broker.refusal import Refusal
from kafka_nextgen.testing.broker.topic import Partition
from kafka_nextgen.testing.broker.topic_settings import TopicSettings
from kafka_nextgen.wire.records import BatchHeader, BatchView, split_batches
from kafka_nextgen.wire.records.batch_header import verify_crc

__all__ = ["Appended", "append", "at_start_of"]

_log = logger_of(__name__)


@frozen
class Appended:
    """Where a batch was appended; ``log_append_time`` is in milliseconds, -1 if the topic uses CreateTime."""

    base_offset: int
    log_append_time: int
    log_start_offset: int


_WITHOUT_START = (ErrorCode.CORRUPT_MESSAGE, ErrorCode.MESSAGE_TOO_LARGE)

#: Decides whether a batch may open its transaction in its partition.
Admit = Callable[[BatchHeader], ErrorCode]


def append(
    settings: TopicSettings, partition: Partition, sent: bytes, now_ms: int, admit: Admit | None
) -> Appended | Refusal:
    """Append the batch that was ``sent`` to a partition, or return the refusal; ``now_ms`` is since the epoch.

    ``admit`` is None if the request has no transactional id.
    """
    batch = _checked(settings, sent)
    if isinstance(batch, Refusal):
        return at_start_of(partition, batch)
    batch = with_checked_records(settings, partition.log.partition, batch, now_ms)
    if isinstance(batch, Refusal):
        return at_start_of(partition, batch)
    error = _transaction_error(partition, batch.header, admit)
    if error is not ErrorCode.NONE:
        return Refusal(error, f"producer {batch.header.producer_id} has no open transaction for the batch")
    seen = partition.producers.check(batch.header)
    if isinstance(seen, Seen):
        return Appended(seen.base_offset, seen.timestamp, partition.log.start_offset)
    if seen is not ErrorCode.NONE:
        number = f"sequence {batch.header.base_sequence} in epoch {batch.header.producer_epoch}"
        text = f"producer {batch.header.producer_id} sent {number}, which does not follow its previous batch"
        return at_start_of(partition, Refusal(seen, text))
    try:
        return _append(settings, partition, batch, now_ms)
    except StorageError as error:
        _log.error("%s: %s", partition.log.partition, error)
        return Refusal(ErrorCode.KAFKA_STORAGE_ERROR, str(error))


def at_start_of(partition: Partition, refusal: Refusal) -> Refusal:
    """Add the log start offset to a refusal, as Kafka does with most errors."""
    if refusal.code in _WITHOUT_START:
        return refusal
    return evolve(refusal, log_start_offset=partition.log.start_offset)


def _transaction_error(partition: Partition, header: BatchHeader, admit: Admit | None) -> ErrorCode:
    is_open = partition.log.transactions.is_open(header.producer_id)
    if not header.is_transactional:
        return ErrorCode.INVALID_TXN_STATE if is_open else ErrorCode.NONE
    if admit is None:
        return ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    is_admitted = is_open and header.producer_epoch <= partition.producers.epoch_of(header.producer_id)
    return ErrorCode.NONE if is_admitted else admit(header)


def _append(settings: TopicSettings, partition: Partition, batch: BatchView, now_ms: int) -> Appended:
    log = partition.log
    append_time = now_ms if settings.has_log_append_time else None
    base_offset = log.append(batch, append_time)
    partition.producers.remember(batch.header, base_offset, append_time)
    if settings.retention_bytes is not None:
        log.retain(settings.retention_bytes)
    compact_if_due(log, settings, now_ms)
    return Appended(base_offset, -1 if append_time is None else append_time, log.start_offset)


def _checked(settings: TopicSettings, sent: bytes) -> BatchView | Refusal:
    try:
        (batch,) = split_batches(sent)
        verify_crc(batch.header, batch.data)
    except CorruptRecordError as error:
        return Refusal(ErrorCode.CORRUPT_MESSAGE, str(error))
    if (refusal := refuse_codec(batch.header.codec) or refuse_header(batch.header)) is not None:
        return refusal
    if batch.header.size > settings.max_message_bytes:
        limit = settings.max_message_bytes
        return Refusal(ErrorCode.MESSAGE_TOO_LARGE, f"{batch.header.size} bytes exceed max.message.bytes={limit}")
    return batch
