"""Committed offsets. The topic's id came with version 4 of the value, the leader epoch with version 3. When an offset
expires was told by version 1 alone, which is written if a commit said so.
"""

from __future__ import annotations

from kafka_nextgen.bridge.offsets_topic.kind import RecordKind
from kafka_nextgen.coordinator.records import OffsetCommitted, OffsetRemoved, PendingOffsetCommitted
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from kafka_nextgen.wire.schemas.offsets_topic import OffsetCommitKey, OffsetCommitValue

__all__ = ["OFFSET"]

_WITH_EXPIRY, _LATEST = 1, 4
_NEVER = -1


def _to_key(record: OffsetCommitted | PendingOffsetCommitted | OffsetRemoved) -> OffsetCommitKey:
    partition = record.partition
    return OffsetCommitKey(group=record.group_id, topic=partition.topic, partition=partition.partition)


def _to_value(record: OffsetCommitted | PendingOffsetCommitted) -> OffsetCommitValue:
    return OffsetCommitValue(
        offset=record.offset.offset,
        leader_epoch=record.offset.leader_epoch,
        metadata=record.offset.metadata,
        commit_timestamp=record.commit_timestamp_ms,
        topic_id=record.topic_id,
        expire_timestamp=_expiry(record),
    )


def _expiry(record: OffsetCommitted | PendingOffsetCommitted) -> int:
    known = record.expire_timestamp_ms if isinstance(record, OffsetCommitted) else None
    return _NEVER if known is None else known


def _from_messages(key: OffsetCommitKey, value: OffsetCommitValue) -> OffsetCommitted:
    return OffsetCommitted(
        key.group,
        TopicPartition(key.topic, key.partition),
        OffsetAndMetadata(value.offset, value.leader_epoch, value.metadata),
        value.commit_timestamp,
        value.topic_id,
        None if value.expire_timestamp < 0 else value.expire_timestamp,
    )


def _version_of(record: OffsetCommitted | PendingOffsetCommitted) -> int:
    return _LATEST if _expiry(record) == _NEVER else _WITH_EXPIRY


def _removed_from(key: OffsetCommitKey) -> OffsetRemoved:
    return OffsetRemoved(key.group, TopicPartition(key.topic, key.partition))


OFFSET = RecordKind(
    number=1,
    key=OffsetCommitKey,
    value=OffsetCommitValue,
    version=_LATEST,
    version_of=_version_of,
    record=OffsetCommitted,
    removed=OffsetRemoved,
    to_key=_to_key,
    to_value=_to_value,
    from_messages=_from_messages,
    removed_from=_removed_from,
)
