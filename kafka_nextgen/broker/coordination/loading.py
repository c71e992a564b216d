"""A new coordinator reads its log, and looks at what changed while there was none (KIP-848, "Fail Over").

State comes by applying records and in no other way; without extensions those that Kafka has none of are passed over, as
it would. Then all timers begin anew, since it is not known how much was left of them. Topics are looked at again with
each group's next heartbeat, and so is an assignment behind its group epoch.

A long log is read piece by piece, and others have their turn in between: they are told to wait.
"""

from __future__ import annotations

import asyncio

from kafka_nextgen.bridge.offsets_topic import Codec, LoggedBatch, replay
from kafka_nextgen.broker.coordination.chronicle import Chronicle
from kafka_nextgen.broker.log import PartitionLog
from kafka_nextgen.coordinator.coordinator import Coordinator
from kafka_nextgen.coordinator.hooks import ExtensionRecord
from kafka_nextgen.logs import logger_of

__all__ = ["load"]

_log = logger_of(__name__)

_PIECE_BYTES = 64 * 1024  # some milliseconds of work


async def load(
    log: PartitionLog, codec: Codec, coordinator: Coordinator, now: float, chronicle: Chronicle, new_from: int
) -> None:
    """Apply what the log says, also what is appended meanwhile, from offset ``new_from`` on: markers of transactions.

    Raises ``CorruptRecordError`` or ``StorageError`` if it can't be read.
    """
    skipped: set[str] = set()
    offset, count = log.start_offset, 0
    while offset < log.end_offset:
        for batch in replay(log.read(offset, _PIECE_BYTES, at_least_one=True), log.partition, codec):
            _take_in(batch, coordinator, now)
            chronicle.read(batch, is_new=batch.header.base_offset >= new_from)
            offset = batch.header.next_offset
            count += len(batch.records)
            _warn_once(log, batch.skipped, skipped)
        await asyncio.sleep(0)
    if count:
        _log.info("%s: %d records tell of %d groups", log.partition, count, len(coordinator.groups))


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
