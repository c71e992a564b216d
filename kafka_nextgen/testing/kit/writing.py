"""Writes planned records: chooses partitions, and returns the records as they are in the log."""

from __future__ import annotations

from kafka_nextgen.producing.partitioner import Partitioner
from kafka_nextgen.testing.kit.backend import Backend, TransactionalProducer
from kafka_nextgen.testing.kit.producer_record import PlannedRecord
from kafka_nextgen.testing.kit.record_list import RecordList
from kafka_nextgen.types import Record, TimestampType
from kafka_nextgen.wire.records import NewRecord

__all__ = ["write"]


def write(
    backend: Backend, topic: str, planned: list[PlannedRecord], producer: TransactionalProducer | None
) -> RecordList:
    """Write the records, one batch for each partition; return them in the order given."""
    count = backend.partition_count(topic)
    partitioner = Partitioner(count)
    partitions = [_partition_of(each, topic, count, partitioner) for each in planned]
    batches: dict[int, list[NewRecord]] = {}
    for number, each in zip(partitions, planned, strict=True):
        batches.setdefault(number, []).append(each.record)
    offsets = backend.append(topic, batches, producer) if batches else {}
    written = RecordList()
    for number, each in zip(partitions, planned, strict=True):
        written.append(_written(topic, number, offsets[number], each.record))
        offsets[number] += 1
    return written


def _partition_of(planned: PlannedRecord, topic: str, count: int, partitioner: Partitioner) -> int:
    if planned.partition is None:
        return partitioner.partition_of(planned.record.key)
    if not 0 <= planned.partition < count:
        raise ValueError(f"topic {topic} has no partition {planned.partition}, only 0 to {count - 1}")
    return planned.partition


def _written(topic: str, partition: int, offset: int, record: NewRecord) -> Record[bytes, bytes]:
    return Record(
        topic,
        partition,
        offset,
        record.timestamp,
        TimestampType.CREATE_TIME,
        record.key,
        record.value,
        tuple(record.headers),
    )
