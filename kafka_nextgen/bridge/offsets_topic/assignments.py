"""The target assignment of a consumer group, and what its members own.

A member's partitions lie there by topic, with the assignment epochs they were granted at beside them. Releases before
4.3 wrote no such epochs; a partition then counts as granted at the member's epoch, which fences most (KIP-1251).
"""

from __future__ import annotations

from collections.abc import Iterable

from kafka_nextgen.bridge.offsets_topic.kind import RecordKind
from kafka_nextgen.bridge.topics import topic_id_partitions
from kafka_nextgen.coordinator import records as r
from kafka_nextgen.coordinator.topic_partitions import to_topic_partitions
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.types import TopicId, TopicIdPartition
from kafka_nextgen.wire.schemas.offsets_topic import (
    ConsumerGroupCurrentMemberAssignmentKey,
    ConsumerGroupCurrentMemberAssignmentValue,
    ConsumerGroupTargetAssignmentMemberKey,
    ConsumerGroupTargetAssignmentMemberValue,
    ConsumerGroupTargetAssignmentMetadataKey,
    ConsumerGroupTargetAssignmentMetadataValue,
)

__all__ = ["CURRENT", "TARGET", "TARGET_SHARE"]

_Share = ConsumerGroupTargetAssignmentMemberValue.TopicPartition
_Owned = ConsumerGroupCurrentMemberAssignmentValue.TopicPartitions

_Granted = tuple[tuple[TopicIdPartition, int], ...]


def _target_key(
    record: r.TargetAssignmentMetadata | r.TargetAssignmentMetadataRemoved,
) -> ConsumerGroupTargetAssignmentMetadataKey:
    return ConsumerGroupTargetAssignmentMetadataKey(group_id=record.group_id)


def _target_value(record: r.TargetAssignmentMetadata) -> ConsumerGroupTargetAssignmentMetadataValue:
    return ConsumerGroupTargetAssignmentMetadataValue(
        assignment_epoch=record.assignment_epoch,
        assignment_timestamp=record.assignment_timestamp_ms,
    )


def _target(
    key: ConsumerGroupTargetAssignmentMetadataKey, value: ConsumerGroupTargetAssignmentMetadataValue
) -> r.TargetAssignmentMetadata:
    return r.TargetAssignmentMetadata(key.group_id, value.assignment_epoch, value.assignment_timestamp)


def _share_key(
    record: r.TargetAssignmentMember | r.TargetAssignmentMemberRemoved,
) -> ConsumerGroupTargetAssignmentMemberKey:
    return ConsumerGroupTargetAssignmentMemberKey(group_id=record.group_id, member_id=record.member_id)


def _share_value(record: r.TargetAssignmentMember) -> ConsumerGroupTargetAssignmentMemberValue:
    shares = record.partitions.items()
    return ConsumerGroupTargetAssignmentMemberValue(
        topic_partitions=[_Share(topic_id=topic_id, partitions=sorted(numbers)) for topic_id, numbers in shares],
    )


def _share(
    key: ConsumerGroupTargetAssignmentMemberKey, value: ConsumerGroupTargetAssignmentMemberValue
) -> r.TargetAssignmentMember:
    partitions = topic_id_partitions((topic.topic_id, topic.partitions) for topic in value.topic_partitions)
    return r.TargetAssignmentMember(key.group_id, key.member_id, to_topic_partitions(partitions))


def _current_key(
    record: r.CurrentMemberAssignment | r.CurrentMemberAssignmentRemoved,
) -> ConsumerGroupCurrentMemberAssignmentKey:
    return ConsumerGroupCurrentMemberAssignmentKey(group_id=record.group_id, member_id=record.member_id)


def _current_value(record: r.CurrentMemberAssignment) -> ConsumerGroupCurrentMemberAssignmentValue:
    return ConsumerGroupCurrentMemberAssignmentValue(
        member_epoch=record.member_epoch,
        previous_member_epoch=record.previous_member_epoch,
        state=record.status,
        assigned_partitions=_by_topic(record.assigned),
        partitions_pending_revocation=_by_topic(record.pending_revocation),
    )


def _by_topic(granted: _Granted) -> list[_Owned]:
    topics: dict[TopicId, list[tuple[int, int]]] = {}
    for partition, epoch in granted:
        topics.setdefault(partition.topic_id, []).append((partition.partition, epoch))
    return [
        _Owned(
            topic_id=topic_id,
            partitions=[number for number, _ in entries],
            assignment_epochs=[epoch for _, epoch in entries],
        )
        for topic_id, entries in topics.items()
    ]


def _current(
    key: ConsumerGroupCurrentMemberAssignmentKey, value: ConsumerGroupCurrentMemberAssignmentValue
) -> r.CurrentMemberAssignment:
    return r.CurrentMemberAssignment(
        group_id=key.group_id,
        member_id=key.member_id,
        member_epoch=value.member_epoch,
        previous_member_epoch=value.previous_member_epoch,
        status=_status(value.state),
        assigned=tuple(_granted(value.assigned_partitions, value.member_epoch)),
        pending_revocation=tuple(_granted(value.partitions_pending_revocation, value.member_epoch)),
    )


def _granted(topics: Iterable[_Owned], member_epoch: int) -> Iterable[tuple[TopicIdPartition, int]]:
    for topic in topics:
        numbers, epochs = topic.partitions, topic.assignment_epochs
        if epochs is None:
            epochs = [member_epoch] * len(numbers)
        if topic.topic_id is None or len(epochs) != len(numbers):
            raise DecodeError(f"{len(numbers)} partitions of topic id {topic.topic_id} have {len(epochs)} epochs")
        for number, epoch in zip(numbers, epochs, strict=True):
            yield TopicIdPartition(topic.topic_id, number), epoch


def _status(number: int) -> r.MemberStatus:
    """A status we don't know, of a later release, is as good as none: the member has to join again."""
    try:
        return r.MemberStatus(number)
    except ValueError:
        return r.MemberStatus.UNKNOWN


TARGET = RecordKind(
    number=6,
    key=ConsumerGroupTargetAssignmentMetadataKey,
    value=ConsumerGroupTargetAssignmentMetadataValue,
    record=r.TargetAssignmentMetadata,
    removed=r.TargetAssignmentMetadataRemoved,
    to_key=_target_key,
    to_value=_target_value,
    from_messages=_target,
    removed_from=lambda key: r.TargetAssignmentMetadataRemoved(key.group_id),
)

TARGET_SHARE = RecordKind(
    number=7,
    key=ConsumerGroupTargetAssignmentMemberKey,
    value=ConsumerGroupTargetAssignmentMemberValue,
    record=r.TargetAssignmentMember,
    removed=r.TargetAssignmentMemberRemoved,
    to_key=_share_key,
    to_value=_share_value,
    from_messages=_share,
    removed_from=lambda key: r.TargetAssignmentMemberRemoved(key.group_id, key.member_id),
)

CURRENT = RecordKind(
    number=8,
    key=ConsumerGroupCurrentMemberAssignmentKey,
    value=ConsumerGroupCurrentMemberAssignmentValue,
    record=r.CurrentMemberAssignment,
    removed=r.CurrentMemberAssignmentRemoved,
    to_key=_current_key,
    to_value=_current_value,
    from_messages=_current,
    removed_from=lambda key: r.CurrentMemberAssignmentRemoved(key.group_id, key.member_id),
)
