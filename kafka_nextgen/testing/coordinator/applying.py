"""What each record does to its group: the only place where a group changes.

Live requests and recovery both go through here, so a group always matches its log. Records may come in any order that
a compacted log allows: a tombstone for an unknown key has no effect, and a member's current assignment may come before
its metadata.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping, Set
from typing import Any, TypeVar

from attrs import evolve

from kafka_nextgen.groups import records as r
from kafka_nextgen.testing.coordinator.classic.group import ClassicGroup
from kafka_nextgen.testing.coordinator.classic.recording import taken_in
from kafka_nextgen.testing.coordinator.group import Group, PendingOffset
from kafka_nextgen.types import TopicIdPartition

__all__ = ["add_to_count", "apply"]

T = TypeVar("T")


def apply(group: Group, record: r.Record) -> None:
    """Apply a record to its group."""
    assert record.group_id == group.group_id, f"{record} is not about group {group.group_id}"
    if isinstance(record, r.ExtensionRecord):
        group.hooks.apply(group, record)
    else:
        _APPLY[type(record)](group, record)


def _become_consumer_group(group: Group) -> None:
    """In a compacted log, a group's offsets may come before the group itself."""
    group.is_consumer_group = True
    if group.classic is not None and group.classic_record is None and not group.classic.members:
        group.classic = None


def _group_metadata(group: Group, record: r.GroupMetadata) -> None:
    _become_consumer_group(group)
    group.epoch = record.epoch
    group.metadata_hash = record.metadata_hash


def _group_metadata_removed(group: Group, _: r.GroupMetadataRemoved) -> None:
    group.is_consumer_group = False
    group.epoch, group.metadata_hash = group.first_epoch, 0


def _partition_metadata(group: Group, _: r.PartitionMetadata | r.PartitionMetadataRemoved) -> None:
    """The hash in the group's epoch replaces it since Kafka 4.1."""


def _member_metadata(group: Group, record: r.MemberMetadata) -> None:
    _become_consumer_group(group)
    _forget_member(group, record.member_id)
    group.members[record.member_id] = record
    if record.instance_id is not None:
        group.instances[record.instance_id] = record.member_id
    _count_member(group, record, +1)


def _member_metadata_removed(group: Group, record: r.MemberMetadataRemoved) -> None:
    _forget_member(group, record.member_id)


def _forget_member(group: Group, member_id: str) -> None:
    known = group.members.pop(member_id, None)
    if known is None:
        return
    if known.instance_id is not None and group.instances.get(known.instance_id) == member_id:
        del group.instances[known.instance_id]  # unless another member has the instance now
    _count_member(group, known, -1)


def _count_member(group: Group, member: r.MemberMetadata, by: int) -> None:
    for name in member.subscribed_topics:
        add_to_count(group.topic_subscribers, name, by)
    add_to_count(group.pattern_subscribers, member.subscribed_pattern, by)
    add_to_count(group.votes, member.server_assignor, by)
    if member.classic is not None:
        group.num_classic += by
        for name in {offered.name for offered in member.classic.supported}:
            add_to_count(group.classic_support, name, by)
    group.hooks.count_member(group, member, by)


def add_to_count(counts: MutableMapping[T, int], key: T | None, by: int) -> None:
    """Add ``by`` to the count of ``key``, unless that is None. Zeros are dropped."""
    if key is None:
        return
    counts[key] = counts.get(key, 0) + by
    if not counts[key]:
        del counts[key]


def _target_metadata(group: Group, record: r.TargetAssignmentMetadata) -> None:
    _become_consumer_group(group)
    group.assignment_epoch = record.assignment_epoch
    group.assignment_timestamp_ms = record.assignment_timestamp_ms
    group.client_assignor, group.assignment_error = record.assignor, record.error


def _target_metadata_removed(group: Group, _: r.TargetAssignmentMetadataRemoved) -> None:
    group.assignment_epoch, group.assignment_timestamp_ms = group.first_epoch, 0
    group.client_assignor, group.assignment_error = None, 0


def _target_member(group: Group, record: r.TargetAssignmentMember) -> None:
    group.targets[record.member_id] = record.partitions
    group.target_metadata.pop(record.member_id, None)
    if record.metadata is not None:
        group.target_metadata[record.member_id] = record.metadata


def _target_member_removed(group: Group, record: r.TargetAssignmentMemberRemoved) -> None:
    group.targets.pop(record.member_id, None)
    group.target_metadata.pop(record.member_id, None)


def _current(group: Group, record: r.CurrentMemberAssignment) -> None:
    held = {partition for partition, _ in record.assigned + record.pending_revocation}
    _release(group, record.member_id, keeping=held)
    group.currents[record.member_id] = record
    group.owners.update(dict.fromkeys(held, record.member_id))


def _current_removed(group: Group, record: r.CurrentMemberAssignmentRemoved) -> None:
    _release(group, record.member_id, keeping=frozenset())


def _release(group: Group, member_id: str, keeping: Set[TopicIdPartition]) -> None:
    known = group.currents.pop(member_id, None)
    if known is None:
        return
    for partition, _ in known.assigned + known.pending_revocation:
        if (
            partition not in keeping and group.owners.get(partition) == member_id
        ):  # in a compacted log the next owner may come first
            del group.owners[partition]


def _pattern(group: Group, record: r.RegularExpression) -> None:
    group.patterns[record.pattern] = record


def _pattern_removed(group: Group, record: r.RegularExpressionRemoved) -> None:
    group.patterns.pop(record.pattern, None)


def _classic_metadata(group: Group, record: r.ClassicGroupMetadata) -> None:
    group.classic_record = record
    group.classic = taken_in(record, group.classic)


def _classic_metadata_removed(group: Group, _: r.ClassicGroupMetadataRemoved) -> None:
    group.classic_record = group.classic = None


def _offset(group: Group, record: r.OffsetCommitted) -> None:
    if not group.exists:
        group.classic = ClassicGroup(group.group_id)  # a commit under a new group id makes an empty group
    group.offsets[record.partition] = record
    for producer_id, partition in list(group.pending):
        if partition == record.partition:
            pending = group.pending[producer_id, partition]
            group.pending[producer_id, partition] = evolve(pending, is_overtaken=True)


def _pending_offset(group: Group, record: r.PendingOffsetCommitted) -> None:
    group.pending[record.producer_id, record.partition] = PendingOffset(record)


def _transaction_ended(group: Group, record: r.TransactionEnded) -> None:
    for producer_id, partition in list(group.pending):
        if producer_id != record.producer_id:
            continue
        pending = group.pending.pop((producer_id, partition))
        if record.is_commit and not pending.is_overtaken:
            group.offsets[partition] = pending.committed()


def _offset_removed(group: Group, record: r.OffsetRemoved) -> None:
    group.offsets.pop(record.partition, None)
    for producer_id, partition in list(group.pending):
        if partition == record.partition:
            del group.pending[producer_id, partition]


_APPLY: Mapping[type, Callable[[Group, Any], None]] = {
    r.GroupMetadata: _group_metadata,
    r.GroupMetadataRemoved: _group_metadata_removed,
    r.PartitionMetadata: _partition_metadata,
    r.PartitionMetadataRemoved: _partition_metadata,
    r.MemberMetadata: _member_metadata,
    r.MemberMetadataRemoved: _member_metadata_removed,
    r.TargetAssignmentMetadata: _target_metadata,
    r.TargetAssignmentMetadataRemoved: _target_metadata_removed,
    r.TargetAssignmentMember: _target_member,
    r.TargetAssignmentMemberRemoved: _target_member_removed,
    r.CurrentMemberAssignment: _current,
    r.CurrentMemberAssignmentRemoved: _current_removed,
    r.RegularExpression: _pattern,
    r.RegularExpressionRemoved: _pattern_removed,
    r.ClassicGroupMetadata: _classic_metadata,
    r.ClassicGroupMetadataRemoved: _classic_metadata_removed,
    r.OffsetCommitted: _offset,
    r.OffsetRemoved: _offset_removed,
    r.PendingOffsetCommitted: _pending_offset,
    r.TransactionEnded: _transaction_ended,
}
