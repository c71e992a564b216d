"""What goes from logs: old records (``cleanup.policy=delete``), and all but the last of each key (``compact``).

Retention: records that are older than ``retention.ms`` go, looked for every ``log.retention.check.interval.ms``.

Age is counted from the latest timestamp of a batch and all before it, so that a batch with a wrong time far ahead keeps
those before it, as a segment of Kafka's is kept by its latest record. A topic that is compacted and nothing else keeps
everything.

Compaction (Kafka, "Log Compaction"):

| record | stays |
|---|---|
| the last of its key, with a value | yes |
| the last of its key, without a value: a tombstone | for ``delete.retention.ms`` after its timestamp |
| an earlier one of its key | no |
| one of a transaction that was aborted | no, and it does not count as the last |
| one without a key | yes: there is nothing to tell it by |
| a marker that ends a transaction | yes |

Records keep their offsets, and batches their span of offsets, so a log without holes remains one; a batch may be left
without records, and those that follow each other become one. What follows the first open transaction is left alone,
since it is not yet known what counts there.

A log is compacted when there is as much again as the last compaction left, and a megabyte: so what compaction costs is
in proportion to what is written. Kafka leaves the active segment out; here all of the log is compacted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from kafka_nextgen.broker.log import PartitionLog
from kafka_nextgen.broker.topic import Topic
from kafka_nextgen.broker.topic_settings import TopicSettings
from kafka_nextgen.broker.topics import Topics
from kafka_nextgen.errors import CorruptRecordError, StorageError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.transport.timers import Timer
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
        return _merged(_rewritten(batch, columns, _staying(columns, last, horizon_ms)) for batch, columns in decoded)

    log.rewrite(rewrite)


def _merged(batches: Iterable[bytes]) -> list[bytes]:
    """Let empty batches that follow each other be one, or a log of what was written over would grow all the same."""
    merged: list[BatchView] = []
    for (batch,) in map(split_batches, batches):
        if merged and _are_one(merged[-1].header, batch.header):
            merged[-1] = _one_of(merged[-1].header, batch.header)
        else:
            merged.append(batch)
    return [bytes(batch.data) for batch in merged]


def _are_one(first: BatchHeader, second: BatchHeader) -> bool:
    """Whether nothing is told by two batches: no record, no marker, no producer's sequence, no other leader epoch."""
    tells_nothing = all(not each.record_count and each.producer_id < 0 for each in (first, second))
    return tells_nothing and first.leader_epoch == second.leader_epoch


def _one_of(first: BatchHeader, second: BatchHeader) -> BatchView:
    span = second.next_offset - first.base_offset
    data = encode_batch([], base_offset=first.base_offset, leader_epoch=first.leader_epoch, last_offset_delta=span - 1)
    return split_batches(data)[0]


def _decoded(batch: BatchView, log: PartitionLog) -> Columns:
    """The records that count; none of a marker, and none of a transaction that was aborted."""
    header = batch.header
    if header.is_transactional and log.transactions.was_aborted(header.producer_id, header.base_offset):
        return Columns(log.partition, header.base_offset)
    return decode_partition(batch.data, log.partition, header.base_offset, RecordLimits())


def _staying(columns: Columns, last: dict[bytes | None, int], horizon_ms: int) -> list[int]:
    """The indexes of the records that stay."""
    return [
        index
        for index, (key, value, offset, time) in enumerate(
            zip(columns.keys, columns.values, columns.offsets, columns.timestamps, strict=True)
        )
        if key is None or (last[key] == offset and (value is not None or time > horizon_ms))
    ]


def _rewritten(batch: BatchView, columns: Columns, staying: Sequence[int]) -> bytes:
    header = batch.header
    if header.is_control or len(staying) == header.record_count:
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
            for index in staying
        ],
        Compression(header.codec) if staying else Compression.NONE,
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
    """Drop what is too old at ``now_ms`` (since the epoch). Raises ``StorageError``."""
    kept_ms = topic.settings.retention_ms
    if kept_ms is not None:
        for partition in topic.partitions:
            partition.log.drop_older(now_ms - kept_ms)


class Retention:
    """The clock of retention, on the event loop; ``now_ms`` gives the time since the epoch."""

    def __init__(self, topics: Topics, interval_s: float, now_ms: Callable[[], int]) -> None:
        self._topics = topics
        self._interval_s = interval_s
        self._now_ms = now_ms
        self._timer = Timer(self._look)

    def start(self) -> None:
        """Look every interval from now on."""
        self._timer.set_after(self._interval_s)

    def close(self) -> None:
        """Stop."""
        self._timer.set_after(None)

    def _look(self) -> None:
        for topic in self._topics.all():
            try:
                drop_expired(topic, self._now_ms())
            except StorageError as error:
                _log.error("what is too old of topic %s stays: %s", topic.name, error)
        self.start()
