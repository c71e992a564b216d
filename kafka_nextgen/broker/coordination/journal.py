"""Stores a coordinator's outcomes in the log of its partition of the offsets topic.

The records of one outcome are one batch, so an outcome is stored as a whole or not at all, and a target assignment is
never replayed in part.

A new coordinator reads its log (KIP-848, "Fail Over"). Only records change its state; without extensions, those that
Kafka does not know are skipped, as Kafka would. Then all timers start anew, since their remaining times are unknown.
Each group's next heartbeat checks for changed topics and for an outdated assignment. A long log is read in pieces,
between which other requests are answered; those for this coordinator are told to retry.
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
from kafka_nextgen.coordinator.hooks import ExtensionRecord
from kafka_nextgen.coordinator.records import PendingOffsetCommitted, Record
from kafka_nextgen.errors import StorageError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.wire.records import NewRecord, encode_batch, read_batches

__all__ = ["OFFSETS_TOPIC", "OVERRIDES", "Journal"]

_log = logger_of(__name__)

_PIECE_BYTES = 64 * 1024  # some milliseconds of work

OFFSETS_TOPIC: Final = "__consumer_offsets"

#: The settings with which Kafka's brokers create the topic.
OVERRIDES: Final[Mapping[str, str]] = {
    "cleanup.policy": "compact",
    "compression.type": "producer",
    "segment.bytes": "104857600",
}


class Journal:
    """The log of one partition of the offsets topic; ``codec`` encodes its records."""

    def __init__(self, topic: Topic, partition: Partition, codec: Codec) -> None:
        self.log = partition.log
        self._codec = codec
        self._topic = topic
        self._partition = partition

    def append(self, records: Sequence[Record], now_ms: int) -> ErrorCode:
        """Store the records of one outcome, all or none, and return the error for clients.

        The errors are those to which Kafka's coordinator maps errors of its log.
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
        """Apply the records of the log to a new ``coordinator`` at ``now`` (seconds).

        This includes what is appended meanwhile, from offset ``new_from`` on: markers of transactions. Raises
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
            _log.info("%s: read %d groups from %d records", log.partition, len(coordinator.groups), count)

    def _write(self, batch: bytes) -> ErrorCode:
        try:
            self.log.append(read_batches(batch)[0])
        except StorageError as error:
            _log.error("%s can't be written: %s", self.log.partition, error)
            return ErrorCode.NOT_COORDINATOR
        return ErrorCode.NONE


def _batch(records: Sequence[Record], codec: Codec, now_ms: int) -> bytes:
    """Encode one batch; pending offsets of a transaction are in a batch of its producer (KIP-98)."""
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
    """Warn once for each unknown record type: another release may have written thousands of them."""
    for what in whats:
        if what not in warned:
            warned.add(what)
            _log.warning("%s: skipping records of unknown %s", log.partition, what)
