"""Cleanup of logs: retention (``cleanup.policy=delete``) and compaction (``cleanup.policy=compact``).

Retention deletes records older than ``retention.ms``, every ``log.retention.check.interval.ms``. The age of a batch
depends on the highest timestamp in it and all batches before it, so a timestamp far in the future keeps later batches,
as the highest timestamp keeps a segment in Kafka. Batches are kept as long as neither they nor earlier ones have a
timestamp; Kafka goes by the time at which such a segment was written (``LogSegment.largestTimestamp``). A topic with
``compact`` alone has no retention.

Compaction (Kafka, "Log Compaction"):

| record | is kept |
|---|---|
| the last of its key, with a value | yes |
| the last of its key, without a value: a tombstone | for ``delete.retention.ms`` after its timestamp |
| an earlier one of its key | no |
| one of an aborted transaction | no, and it does not count as the last of its key |
| one without a key | yes |
| a marker that ends a transaction | yes |

Records keep their offsets, and batches their offset ranges, so the log gets no holes. Consecutive batches without
records are merged. The log from the first open transaction on is not compacted, since the outcome is unknown.

A log is compacted when, since the last compaction, it has grown by its size at that time plus one megabyte, so the cost
of compaction is proportional to the amount written. Unlike Kafka, this compacts the active segment too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from kafka_nextgen.errors import CorruptRecordError, StorageError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.testing.broker.log import PartitionLog
from kafka_nextgen.testing.broker.topic import Topic
from kafka_nextgen.testing.broker.topic_settings import TopicSettings
from kafka_nextgen.testing.broker.topics import Topics
from kafka_nextgen.transport.waiting import Timer
from kafka_nextgen.wire.records import (
    BatchHeader,
    BatchView,
    Columns,
    Compression,
    NewRecord,
    RecordLimits,
    decode_partition,
    encode_batch,
    split_batches,
)

__all__ = ["Retention", "compact", "compact_if_due", "drop_expired"]

_log = logger_of(__name__)

_LEAST_BYTES = 1024 * 1024


def compact_if_due(log: PartitionLog, settings: TopicSettings, now_ms: int) -> None:
    """Compact the log of a topic with these settings if it has grown enough; ``now_ms`` is since the epoch."""
    if not settings.is_compacted or log.size < 2 * log.compacted_size + _LEAST_BYTES:
        return
    try:
        compact(log, settings, now_ms)
    except (CorruptRecordError, StorageError) as error:
        _log.warning("%s is not compacted: %s", log.partition, error)
        log.compacted_size = log.size


def compact(log: PartitionLog, settings: TopicSettings, now_ms: int) -> None:
    """Compact a log now. Raises ``CorruptRecordError`` or ``StorageError``, and leaves the log as it was."""
    horizon_ms = now_ms - settings.delete_retention_ms

    def rewrite(batches: Sequence[BatchView]) -> list[bytes]:
        decoded = [(batch, _decoded(batch, log)) for batch in batches]
        last = {
            key: offset for _, columns in decoded for key, offset in zip(columns.keys, columns.offsets, strict=True)
        }
        return _merged(_rewritten(batch, columns, _kept(columns, last, horizon_ms)) for batch, columns in decoded)

    log.rewrite(rewrite)


def _merged(batches: Iterable[bytes]) -> list[bytes]:
    """Merge consecutive empty batches; otherwise a log of overwritten records would keep growing."""
    merged: list[BatchView] = []
    for (batch,) in map(split_batches, batches):
        if merged and _are_one(merged[-1].header, batch.header):
            merged[-1] = _one_of(merged[-1].header, batch.header)
        else:
            merged.append(batch)
    return [bytes(batch.data) for batch in merged]


def _are_one(first: BatchHeader, second: BatchHeader) -> bool:
    """Whether two batches can be merged: no records, no producer, and the same leader epoch."""
    are_empty = all(not each.record_count and each.producer_id < 0 for each in (first, second))
    return are_empty and first.leader_epoch == second.leader_epoch


def _one_of(first: BatchHeader, second: BatchHeader) -> BatchView:
    span = second.next_offset - first.base_offset
    data = encode_batch([], base_offset=first.base_offset, leader_epoch=first.leader_epoch, last_offset_delta=span - 1)
    return split_batches(data)[0]


def _decoded(batch: BatchView, log: PartitionLog) -> Columns:
    """The records of a batch; none if it is a marker or belongs to an aborted transaction."""
    header = batch.header
    if header.is_transactional and log.transactions.was_aborted(header.producer_id, header.base_offset):
        return Columns(log.partition, header.base_offset)
    return decode_partition(batch.data, log.partition, header.base_offset, RecordLimits())


def _kept(columns: Columns, last: dict[bytes | None, int], horizon_ms: int) -> list[int]:
    """The indexes of the records to keep."""
    return [
        index
        for index, (key, value, offset, time) in enumerate(
            zip(columns.keys, columns.values, columns.offsets, columns.timestamps, strict=True)
        )
        if key is None or (last[key] == offset and (value is not None or time > horizon_ms))
    ]


def _rewritten(batch: BatchView, columns: Columns, kept: Sequence[int]) -> bytes:
    header = batch.header
    if header.is_control or len(kept) == header.record_count:
        return bytes(batch.data)
    headers = columns.headers
    return encode_batch(
        [
            NewRecord(
                columns.values[index],
                columns.keys[index],
                columns.timestamps[index],
                () if headers is None else headers[index],
                columns.offsets[index] - header.base_offset,
            )
            for index in kept
        ],
        Compression(header.codec) if kept else Compression.NONE,
        base_offset=header.base_offset,
        leader_epoch=header.leader_epoch,
        producer_id=header.producer_id,
        producer_epoch=header.producer_epoch,
        base_sequence=header.base_sequence,
        last_offset_delta=header.last_offset_delta,
        timestamp_type=header.timestamp_type,
        transactional=header.is_transactional,
    )


def drop_expired(topic: Topic, now_ms: int) -> None:
    """Delete the records of a topic that are expired at ``now_ms`` (since the epoch). Raises ``StorageError``."""
    retention_ms = topic.settings.retention_ms
    if retention_ms is not None:
        for partition in topic.partitions:
            partition.log.drop_older(now_ms - retention_ms)


class Retention:
    """Deletes expired records regularly, on the event loop; ``now_ms`` gives the time since the epoch."""

    def __init__(self, topics: Topics, interval_s: float, now_ms: Callable[[], int]) -> None:
        self._topics = topics
        self._interval_s = interval_s
        self._now_ms = now_ms
        self._timer = Timer(self._delete_expired)

    def start(self) -> None:
        """Check every interval from now on."""
        self._timer.set_after(self._interval_s)

    def close(self) -> None:
        """Stop the timer."""
        self._timer.set_after(None)

    def _delete_expired(self) -> None:
        for topic in self._topics.all():
            try:
                drop_expired(topic, self._now_ms())
            except StorageError as error:
                _log.error("can't delete the expired records of topic %s: %s", topic.name, error)
        self.start()
