"""A group: what its records add up to.

``apply`` is the only place where a group changes, for live requests and for recovery alike, so a group is at any
time what its log says. Records may come in any order a compacted log can have: a tombstone for what is not there
is nothing, and what a member owns may be known before the member is.

The records are kept as they came. Beside them stand a few indexes that ``apply`` keeps in step: who owns a
partition, which member has an instance id, how many members subscribe to a topic or a pattern or vote for an
assignor, how many speak the classic protocol and what these offer.

A name has a consumer group, or a classic group (``classic``), or offsets alone. Of a classic group the records tell but
what each generation came to; the rest of ``classic`` is put there by whoever commits an outcome.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping, Set
from typing import Any

from attrs import define, evolve, field, fields, frozen

from kafka_nextgen.coordinator import records as r
from kafka_nextgen.coordinator.classic.group import ClassicGroup
from kafka_nextgen.coordinator.classic.recording import taken_in
from kafka_nextgen.coordinator.overlay import Overlay
from kafka_nextgen.coordinator.share import NOTHING, Share
from kafka_nextgen.types import TopicId, TopicIdPartition, TopicPartition

__all__ = ["Group", "PendingOffset"]


@frozen
class PendingOffset:
    """An offset that waits for the end of its transaction, unless the partition's was committed anew since."""

    record: r.PendingOffsetCommitted
    is_overtaken: bool = False

    def committed(self) -> r.OffsetCommitted:
        """What it is when the transaction is committed."""
        told = self.record
        return r.OffsetCommitted(told.group_id, told.partition, told.offset, told.commit_timestamp_ms, told.topic_id)


@define
class Group:
    """What there is under one name; with neither ``is_consumer_group`` nor ``classic``, offsets at most."""

    group_id: str
    first_epoch: int  # what both epochs are before any record says otherwise

    is_consumer_group: bool = False
    epoch: int = field(init=False)
    metadata_hash: int = 0
    assignment_epoch: int = field(init=False)
    assignment_timestamp_ms: int = 0
    members: MutableMapping[str, r.MemberMetadata] = field(factory=dict)
    currents: MutableMapping[str, r.CurrentMemberAssignment] = field(factory=dict)
    targets: MutableMapping[str, Share] = field(factory=dict)
    patterns: MutableMapping[str, r.RegularExpression] = field(factory=dict)  # those resolved at least once
    offsets: MutableMapping[TopicPartition, r.OffsetCommitted] = field(factory=dict)
    pending: MutableMapping[tuple[int, TopicPartition], PendingOffset] = field(factory=dict)  # by producer id, too

    owners: MutableMapping[TopicIdPartition, str] = field(factory=dict)  # assigned or pending revocation
    instances: MutableMapping[str, str] = field(factory=dict)
    topic_subscribers: MutableMapping[str, int] = field(factory=dict)
    pattern_subscribers: MutableMapping[str, int] = field(factory=dict)
    votes: MutableMapping[str, int] = field(factory=dict)
    num_classic: int = 0  # members of the consumer group that speak the classic protocol
    classic_support: MutableMapping[str, int] = field(factory=dict)  # how many of these offer each of their protocols

    classic_record: r.ClassicGroupMetadata | None = None
    classic: ClassicGroup | None = field(default=None, eq=False)  # more than the records say, see there

    checked_topics_version: int = field(default=-1, eq=False)  # no record says so: a new coordinator looks again

    def __attrs_post_init__(self) -> None:
        self.epoch = self.assignment_epoch = self.first_epoch

    def overlay(self) -> Group:
        """The same group, to try records on; this one does not change."""
        overlay = Group.__new__(Group)  # attribute by attribute: every request begins with this
        for name in _ATTRIBUTES:
            setattr(overlay, name, getattr(self, name))
        for name in _MAPPINGS:
            setattr(overlay, name, Overlay(getattr(self, name)))
        return overlay

    @property
    def exists(self) -> bool:
        """Whether there is anything to remember of this group."""
        return self.is_consumer_group or self.classic is not None or bool(self.offsets or self.pending)

    @property
    def has_seen_topics(self) -> bool:
        """Whether the topics were looked at for it since this coordinator knows it."""
        return self.checked_topics_version >= 0

    @property
    def holds_anything(self) -> bool:
        """Whether any record is in force, if only one whose group a compacted log will tell of later."""
        return self.exists or bool(self.members or self.currents or self.targets or self.patterns)

    def current(self, member_id: str) -> r.CurrentMemberAssignment:
        """What a member owns; for one that is new, nothing at epoch 0."""
        found = self.currents.get(member_id)
        return found or r.CurrentMemberAssignment(self.group_id, member_id, 0, 0, r.MemberStatus.STABLE, (), ())

    def partitions_with_offsets(self) -> list[TopicPartition]:
        """The partitions that have an offset, be it pending."""
        return sorted({*self.offsets, *(partition for _, partition in self.pending)})

    def topic_ids_of(self, partition: TopicPartition) -> set[TopicId | None]:
        """The topics, if known, that offsets under a partition's name were committed for."""
        stored = self.offsets.get(partition)
        ids = {pending.record.topic_id for (_, at), pending in self.pending.items() if at == partition}
        return ids if stored is None else ids | {stored.topic_id}

    def has_pending(self, partition: TopicPartition) -> bool:
        """Whether an open transaction may change the partition's offset."""
        return any(pending == partition for _, pending in self.pending)

    def has_pending_of(self, producer_id: int) -> bool:
        """Whether offsets wait for the end of this producer's transaction."""
        return any(pending == producer_id for pending, _ in self.pending)

    def target(self, member_id: str) -> Share:
        """What a member is to own."""
        return self.targets.get(member_id, NOTHING)

    def is_classic_member(self, member_id: str) -> bool:
        """Whether a member of the consumer group speaks the classic protocol."""
        member = self.members.get(member_id)
        return member is not None and member.classic is not None

    def topics_of(self, member: r.MemberMetadata) -> frozenset[str]:
        """The names a member subscribes to. A pattern not yet resolved matches none."""
        resolved = self.patterns.get(member.subscribed_pattern or "")
        return frozenset(member.subscribed_topics).union(resolved.topics if resolved else ())

    def subscribed_topics(self) -> Set[str]:
        """The names anybody subscribes to."""
        return set(self.topic_subscribers).union(*(pattern.topics for pattern in self.patterns.values()))

    def apply(self, record: r.Record) -> None:
        """Take a record in."""
        assert record.group_id == self.group_id, f"{record} is not about group {self.group_id}"
        _APPLY[type(record)](self, record)


_ATTRIBUTES = tuple(attribute.name for attribute in fields(Group))

_MAPPINGS = (
    "members",
    "currents",
    "targets",
    "patterns",
    "offsets",
    "pending",
    "owners",
    "instances",
    "topic_subscribers",
    "pattern_subscribers",
    "votes",
    "classic_support",
)


def _become_consumer_group(group: Group) -> None:
    """In a compacted log offsets may come before the group that they are of."""
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
        del group.instances[known.instance_id]  # unless the instance has gone on to another member
    _count_member(group, known, -1)


def _count_member(group: Group, member: r.MemberMetadata, by: int) -> None:
    for name in member.subscribed_topics:
        _count(group.topic_subscribers, name, by)
    _count(group.pattern_subscribers, member.subscribed_pattern, by)
    _count(group.votes, member.server_assignor, by)
    if member.classic is not None:
        group.num_classic += by
        for name in {offered.name for offered in member.classic.supported}:
            _count(group.classic_support, name, by)


def _count(counts: MutableMapping[str, int], key: str | None, by: int) -> None:
    if key is None:
        return
    counts[key] = counts.get(key, 0) + by
    if not counts[key]:
        del counts[key]


def _target_metadata(group: Group, record: r.TargetAssignmentMetadata) -> None:
    _become_consumer_group(group)
    group.assignment_epoch = record.assignment_epoch
    group.assignment_timestamp_ms = record.assignment_timestamp_ms


def _target_metadata_removed(group: Group, _: r.TargetAssignmentMetadataRemoved) -> None:
    group.assignment_epoch, group.assignment_timestamp_ms = group.first_epoch, 0


def _target_member(group: Group, record: r.TargetAssignmentMember) -> None:
    group.targets[record.member_id] = record.partitions


def _target_member_removed(group: Group, record: r.TargetAssignmentMemberRemoved) -> None:
    group.targets.pop(record.member_id, None)


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
        ):  # a compacted log may tell of the next owner first
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
        group.classic = ClassicGroup(group.group_id)  # whoever commits under a new name makes a group of nobody
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
