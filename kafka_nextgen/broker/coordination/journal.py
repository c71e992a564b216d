"""Where a coordinator's outcomes are stored: the log of its partition of the offsets topic.

The records of one outcome are one batch. A batch is in the log or it is not, so a group is never half of what a request
came to, and a target assignment is replayed as a whole or not at all.

A new coordinator reads its log, and looks at what changed while there was none (KIP-848, "Fail Over"). State comes by
applying records and in no other way; without extensions those that Kafka has none of are passed over, as it would. Then
all timers begin anew, since it is not known how much was left of them. Topics are looked at again with each group's
next heartbeat, and so is an assignment behind its group epoch. A long log is read piece by piece, and others have their
turn in between: they are told to wait.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final

from kafka_nextgen.bridge.offsets_topic import Codec, LoggedBatch, replay
from kafka_nextgen.broker.cleanup import compact_if_due
from kafka_nextgen.broker.coordination.chronicle import Chronicle
from kafka_nextgen.broker.log import PartitionLog
from kafka_nextgen.broker.topic import Partition, Topic
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.coordinator import Coordinator
from kafka_nextgen.coordinator.records import ExtensionRecord, PendingOffsetCommitted, Record
from kafka_nextgen.errors import StorageError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.wire.records import NewRecord, encode_batch, read_batches

__all__ = ["OFFSETS_TOPIC", "OVERRIDES", "Journal"]

_log = logger_of(__name__)

_PIECE_BYTES = 64 * 1024  # some milliseconds of work

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
        self.log = partition.log
        self._codec = codec
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
        batch = _batch(records, self._codec, now_ms)
        limit = settings.max_message_bytes
        if len(batch) > limit:
            _log.error("%s: %d bytes exceed max.message.bytes=%d", self.log.partition, len(batch), limit)
            return ErrorCode.UNKNOWN_SERVER_ERROR
        error = self._write(batch)
        if error is ErrorCode.NONE:
            compact_if_due(self.log, settings, now_ms)
        return error

    async def load(self, coordinator: Coordinator, now: float, chronicle: Chronicle, new_from: int) -> None:
        """Apply what the log says to a new ``coordinator`` at ``now`` (seconds).

        So is what is appended meanwhile, from offset ``new_from`` on: markers of transactions. Raises
        ``CorruptRecordError`` or ``StorageError`` if the log can't be read.
        """
        log = self.log
        skipped: set[str] = set()
        offset, count = log.start_offset, 0
        while offset < log.end_offset:
            for batch in replay(log.read(offset, _PIECE_BYTES, at_least_one=True), log.partition, self._codec):
                _take_in(batch, coordinator, now)
                chronicle.read(batch, is_new=batch.header.base_offset >= new_from)
                offset = batch.header.next_offset
                count += len(batch.records)
                _warn_once(log, batch.skipped, skipped)
            await asyncio.sleep(0)
        if count:
            _log.info("%s: %d records tell of %d groups", log.partition, count, len(coordinator.groups))

    def _write(self, batch: bytes) -> ErrorCode:
        try:
            self.log.append(read_batches(batch)[0])
        except StorageError as error:
            _log.error("%s can't be written: %s", self.log.partition, error)
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


def _take_in(batch: LoggedBatch, coordinator: Coordinator, now: float) -> None:
    ended = () if batch.end is None else coordinator.handle(batch.end, now).records
    for record in (*batch.records, *ended):
        if coordinator.settings.extensions or not isinstance(record, ExtensionRecord):
            coordinator.apply(record)


def _warn_once(log: PartitionLog, whats: tuple[str, ...], warned: set[str]) -> None:
    """Of a type we don't know there may be thousands; it is nothing wrong, another release wrote it."""
    for what in whats:
        if what not in warned:
            warned.add(what)
            _log.warning("%s: %s is unknown here and passed over", log.partition, what)
