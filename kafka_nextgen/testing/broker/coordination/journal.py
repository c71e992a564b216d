"""The log of a coordinator: its partition of the offsets topic.

The records of one outcome are one batch, so either all or none of them are stored, and a target assignment is replayed
as a whole or not at all.

A new coordinator applies the records of its log (KIP-848, "Fail Over"), including the records of extensions, even while
the extensions are disabled: their hooks then remove what those records say about members. A long log is read piece by
piece, so that other tasks run in between. ``coordinator.restart`` does the rest.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import StorageError
from kafka_nextgen.groups.records import PendingOffsetCommitted, Record
from kafka_nextgen.logs import logger_of
from kafka_nextgen.offsets_topic import Codec, LoggedBatch, replay
from kafka_nextgen.testing.broker.cleanup import compact_if_due
from kafka_nextgen.testing.broker.coordination.chronicle import Chronicle
from kafka_nextgen.testing.broker.log import PartitionLog
from kafka_nextgen.testing.broker.topic import Partition, Topic
from kafka_nextgen.testing.coordinator.coordinator import Coordinator
from kafka_nextgen.wire.records import NewRecord, encode_batch, read_batches

__all__ = ["OFFSETS_TOPIC", "OVERRIDES", "Journal"]

_log = logger_of(__name__)

_PIECE_BYTES = 64 * 1024  # a few milliseconds of work

OFFSETS_TOPIC: Final = "__consumer_offsets"

#: The topic's configuration, as Kafka's brokers create it. Only the latest record of each key is needed.
OVERRIDES: Final[Mapping[str, str]] = {
    "cleanup.policy": "compact",
    "compression.type": "producer",
    "segment.bytes": "104857600",
}


class Journal:
    """One partition of the offsets topic; ``codec`` encodes and decodes its records."""

    def __init__(self, topic: Topic, partition: Partition, codec: Codec) -> None:
        self.log = partition.log
        self._codec = codec
        self._topic = topic
        self._partition = partition

    def append(self, records: Sequence[Record], now_ms: int) -> ErrorCode:
        """Store the records of one outcome, all or none. Return the error for clients, as in Kafka's coordinator."""
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
        """Apply the log to a new ``coordinator`` at ``now`` (seconds), with the transaction markers that are appended
        in the meantime, from offset ``new_from`` on.

        Raises:
            CorruptRecordError: a record can't be decoded.
            StorageError: the log can't be read.
        """
        log = self.log
        skipped: set[str] = set()
        offset, count = log.start_offset, 0
        while offset < log.end_offset:
            for batch in replay(log.read(offset, _PIECE_BYTES, at_least_one=True), log.partition, self._codec):
                _apply(batch, coordinator, now)
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
    """Build one batch. The offsets of a transaction are in a transactional batch of its producer (KIP-98)."""
    rows = [NewRecord(row.value, row.key, now_ms) for row in map(codec.encode, records)]
    first = records[0]
    if not isinstance(first, PendingOffsetCommitted):
        return encode_batch(rows)
    return encode_batch(rows, producer_id=first.producer_id, producer_epoch=first.producer_epoch, transactional=True)


def _apply(batch: LoggedBatch, coordinator: Coordinator, now: float) -> None:
    ended = () if batch.end is None else coordinator.handle(batch.end, now).records
    for record in (*batch.records, *ended):
        coordinator.apply(record)


def _warn_once(log: PartitionLog, whats: tuple[str, ...], warned: set[str]) -> None:
    """Warn once about each unknown record type. Another release wrote them, and there may be thousands."""
    for what in whats:
        if what not in warned:
            warned.add(what)
            _log.warning("%s: skipping records of unknown %s", log.partition, what)
