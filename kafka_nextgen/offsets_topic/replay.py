"""Reads the log of an offsets topic partition, batch by batch.

The coordinator writes each result as one batch, so a batch is processed as a whole. Records of unknown types are
skipped, and their names are returned. Offsets in a producer's transaction are pending until a marker commits or aborts
them (KIP-98).
"""

from __future__ import annotations

from collections.abc import Iterator

from kafka_nextgen.errors import CorruptRecordError, DecodeError
from kafka_nextgen.groups.end_transaction import EndTransaction
from kafka_nextgen.groups.records import OffsetCommitted, PendingOffsetCommitted, Record
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.offsets_topic.codec import KAFKAS, Codec, Skipped
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records import BatchHeader, RecordLimits, decode_partition, read_end_marker, split_batches

__all__ = ["LoggedBatch", "replay"]


@frozen
class LoggedBatch:
    """A batch of the log: its header, its records, and names of skipped ones. It can be empty after compaction.

    ``end`` is set if the batch is the end marker of a transaction.
    """

    header: BatchHeader
    records: tuple[Record, ...] = ()
    skipped: tuple[str, ...] = ()
    end: EndTransaction | None = None


def replay(data: bytes, partition: TopicPartition, codec: Codec = KAFKAS) -> Iterator[LoggedBatch]:
    """Read whole batches with this codec. Raises ``CorruptRecordError`` for a corrupt batch or record."""
    for batch in split_batches(data):
        yield _batch(batch.header, batch.data, partition, codec)


def _batch(header: BatchHeader, data: memoryview, partition: TopicPartition, codec: Codec) -> LoggedBatch:
    if header.is_control:
        marker = read_end_marker(header, data)
        return LoggedBatch(header, end=None if marker is None else EndTransaction(header.producer_id, marker.is_commit))
    columns = decode_partition(data, partition, header.base_offset, RecordLimits())
    records: list[Record] = []
    skipped: list[str] = []
    for offset, key, value in zip(columns.offsets, columns.keys, columns.values, strict=True):
        try:
            found = codec.decode(key, value)
        except DecodeError as error:
            raise CorruptRecordError(f"{partition} at offset {offset}: {error}", partition, offset) from error
        if isinstance(found, Skipped):
            skipped.append(found.what)
        else:
            records.append(_pending(found, header) if header.is_transactional else found)
    return LoggedBatch(header, tuple(records), tuple(skipped))


def _pending(record: Record, header: BatchHeader) -> Record:
    if not isinstance(record, OffsetCommitted):
        return record
    return PendingOffsetCommitted(
        record.group_id,
        record.partition,
        record.offset,
        record.commit_timestamp_ms,
        record.topic_id,
        header.producer_id,
        header.producer_epoch,
    )
