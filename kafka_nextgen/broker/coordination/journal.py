"""Where a coordinator's outcomes are stored: the log of its partition of the offsets topic.

The records of one outcome are one batch. A batch is in the log or it is not, so a group is never half of what a request
came to, and a target assignment is replayed as a whole or not at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from kafka_nextgen.bridge.offsets_topic import Codec
from kafka_nextgen.broker.compaction import compact_if_due
from kafka_nextgen.broker.topic import Partition, Topic
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.records import PendingOffsetCommitted, Record
from kafka_nextgen.errors import StorageError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.wire.records import NewRecord, encode_batch, read_batches

__all__ = ["OFFSETS_TOPIC", "OVERRIDES", "Journal"]

_log = logger_of(__name__)

OFFSETS_TOPIC: Final = "__consumer_offsets"

#: What Kafka's brokers give the topic when they make it. Nothing but the last word on each fact is ever needed.
OVERRIDES: Final[Mapping[str, str]] = {
    "cleanup.policy": "compact",
    "compression.type": "producer",
    "segment.bytes": "104857600",
}


class Journal:
    """Writes to one partition of the offsets topic, in the records that ``codec`` knows."""

    def __init__(self, topic: Topic, partition: Partition, codec: Codec) -> None:
        self.codec = codec
        self._topic = topic
        self._partition = partition

    def append(self, records: Sequence[Record], now_ms: int) -> ErrorCode:
        """Store what one outcome says, all of it or nothing, and return what clients are to be told of it.

        The errors are those that Kafka's coordinator makes of its log's.
        """
        if not records:
            return ErrorCode.NONE
        settings = self._topic.settings
        if self._topic.lacks_replicas(self._partition):
            return ErrorCode.COORDINATOR_NOT_AVAILABLE
        batch = _batch(records, self.codec, now_ms)
        limit = settings.max_message_bytes
        if len(batch) > limit:
            _log.error("%s: %d bytes exceed max.message.bytes=%d", self._partition.log.partition, len(batch), limit)
            return ErrorCode.UNKNOWN_SERVER_ERROR
        error = self._write(batch)
        if error is ErrorCode.NONE:
            compact_if_due(self._partition.log, settings, now_ms)
        return error

    def _write(self, batch: bytes) -> ErrorCode:
        log = self._partition.log
        try:
            log.append(read_batches(batch)[0])
        except StorageError as error:
            _log.error("%s can't be written: %s", log.partition, error)
            return ErrorCode.NOT_COORDINATOR
        return ErrorCode.NONE


def _batch(records: Sequence[Record], codec: Codec, now_ms: int) -> bytes:
    """One batch; offsets that wait for the end of a transaction are in one of its producer's (KIP-98)."""
    rows = [_new_record(record, codec, now_ms) for record in records]
    first = records[0]
    if not isinstance(first, PendingOffsetCommitted):
        return encode_batch(rows)
    return encode_batch(rows, producer_id=first.producer_id, producer_epoch=first.producer_epoch, transactional=True)


def _new_record(record: Record, codec: Codec, now_ms: int) -> NewRecord:
    row = codec.encode(record)
    return NewRecord(row.value, row.key, now_ms)
