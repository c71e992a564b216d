"""A group: the state that results from its records.

``applying`` applies the records, both for live requests and for recovery, so a group always matches its log.

The group keeps its records unchanged, and some indexes over them: the owner of each partition, the member of each
instance id, the number of members that subscribe to each topic or pattern or vote for each assignor, and the number of
classic members and of those that offer each protocol.

``kept`` holds the extensions' recorded state and ``remembered`` their unrecorded state (``hooks``). Extensions also
fill ``client_assignor``, ``assignment_error`` and ``target_metadata``, from fields that they add to Kafka's records.

A group id has a consumer group, a classic group (``classic``), or only offsets. The records of a classic group hold
only the result of each generation; ``Coordinator.commit`` sets the rest of ``classic``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping, Set
from itertools import chain

from attrs import field, fields

from kafka_nextgen.assignors.spec import Metadata
from kafka_nextgen.groups import records as r
from kafka_nextgen.groups.topic_partitions import NOTHING, TopicPartitions
from kafka_nextgen.lazy_attrs import define, frozen
from kafka_nextgen.testing.coordinator.classic.group import ClassicGroup
from kafka_nextgen.testing.coordinator.hooks import NO_EXTENSIONS, Hooks
from kafka_nextgen.testing.coordinator.overlay import Overlay
from kafka_nextgen.types import TopicId, TopicIdPartition, TopicPartition

__all__ = ["Group", "PendingOffset"]


@frozen
class PendingOffset:
    """An offset that waits for the end of its transaction. A later commit to the partition supersedes it."""

    record: r.PendingOffsetCommitted
    is_overtaken: bool = False

    def committed(self) -> r.OffsetCommitted:
        """The committed offset once the transaction commits."""
        told = self.record
        return r.OffsetCommitted(told.group_id, told.partition, told.offset, told.commit_timestamp_ms, told.topic_id)


@define
class Group:
    """The state of one group id; without ``is_consumer_group`` and ``classic`` it has only offsets, if any."""

    group_id: str
    first_epoch: int  # both epochs, before any record sets them
    hooks: Hooks = field(default=NO_EXTENSIONS, eq=False, repr=False)

    is_consumer_group: bool = False
    epoch: int = field(init=False)
    metadata_hash: int = 0
    assignment_epoch: int = field(init=False)
    assignment_timestamp_ms: int = 0
    client_assignor: str | None = None  # the assignor that made the target assignment, if a member ran it
    assignment_error: int = 0  # that assignor's error code for the members
    members: MutableMapping[str, r.MemberMetadata] = field(factory=dict)
    currents: MutableMapping[str, r.CurrentMemberAssignment] = field(factory=dict)
    targets: MutableMapping[str, TopicPartitions] = field(factory=dict)
    target_metadata: MutableMapping[str, Metadata] = field(factory=dict)  # only for members that received some
    patterns: MutableMapping[str, r.RegularExpression] = field(factory=dict)  # of patterns resolved at least once
    offsets: MutableMapping[TopicPartition, r.OffsetCommitted] = field(factory=dict)
    pending: MutableMapping[tuple[int, TopicPartition], PendingOffset] = field(factory=dict)  # by producer id too

    owners: MutableMapping[TopicIdPartition, str] = field(factory=dict)  # assigned or pending revocation
    instances: MutableMapping[str, str] = field(factory=dict)
    topic_subscribers: MutableMapping[str, int] = field(factory=dict)
    pattern_subscribers: MutableMapping[str, int] = field(factory=dict)
    votes: MutableMapping[str, int] = field(factory=dict)
    num_classic: int = 0  # members of the consumer group that speak the classic protocol
    classic_support: MutableMapping[str, int] = field(factory=dict)  # how many of these offer each protocol

    classic_record: r.ClassicGroupMetadata | None = None
    classic: ClassicGroup | None = field(default=None, eq=False)  # has state that is not in the records

    checked_topics_version: int = field(default=-1, eq=False)  # not recorded: a new coordinator checks again

    kept: Mapping[str, object] = field(factory=dict)  # by name; replaced on each change
    remembered: Mapping[str, object] = field(factory=dict, eq=False)  # by name; not recorded

    def __attrs_post_init__(self) -> None:
        self.epoch = self.assignment_epoch = self.first_epoch

    def overlay(self) -> Group:
        """A copy to apply records to; this group does not change."""
        overlay = Group.__new__(Group)  # attribute by attribute, for speed: every request does this
        for name in _ATTRIBUTES:
            setattr(overlay, name, getattr(self, name))
        for name in _MAPPINGS:
            setattr(overlay, name, Overlay(getattr(self, name)))
        return overlay

    @property
    def exists(self) -> bool:
        """Whether the group has any state."""
        return self.is_consumer_group or self.classic is not None or bool(self.offsets or self.pending)

    @property
    def is_classic_with_members(self) -> bool:
        """Whether it is a classic group that is not empty. A group whose last member left during the initial delay is
        empty, although its state is not Empty yet.
        """
        return self.classic is not None and bool(self.classic.members)

    @property
    def has_seen_topics(self) -> bool:
        """Whether this coordinator has compared the group's subscriptions with the topics yet."""
        return self.checked_topics_version >= 0

    @property
    def holds_anything(self) -> bool:
        """Whether any record was applied, including one whose group comes later in a compacted log."""
        said = (self.members, self.currents, self.targets, self.patterns, self.kept)
        return self.exists or any(said)

    def current(self, member_id: str) -> r.CurrentMemberAssignment:
        """A member's current assignment; a new member's is empty, at epoch 0."""
        found = self.currents.get(member_id)
        return found or r.CurrentMemberAssignment(self.group_id, member_id, 0, 0, r.MemberStatus.STABLE, (), ())

    def partitions_with_offsets(self) -> list[TopicPartition]:
        """The partitions that have a committed or pending offset."""
        return sorted({*self.offsets, *(partition for _, partition in self.pending)})

    def topic_ids_of(self, partition: TopicPartition) -> set[TopicId | None]:
        """The topic ids for which the partition's offsets were committed, None for unknown ones."""
        stored = self.offsets.get(partition)
        ids = {pending.record.topic_id for (_, at), pending in self.pending.items() if at == partition}
        return ids if stored is None else ids | {stored.topic_id}

    def has_pending(self, partition: TopicPartition) -> bool:
        """Whether an open transaction may change the partition's offset."""
        return any(pending == partition for _, pending in self.pending)

    def target(self, member_id: str) -> TopicPartitions:
        """A member's target assignment."""
        return self.targets.get(member_id, NOTHING)

    def is_classic_member(self, member_id: str) -> bool:
        """Whether a member of the consumer group speaks the classic protocol."""
        member = self.members.get(member_id)
        return member is not None and member.classic is not None

    def topics_of(self, member: r.MemberMetadata) -> frozenset[str]:
        """The topic names a member subscribes to. A pattern not yet resolved matches none."""
        resolved = self.patterns.get(member.subscribed_pattern or "")
        return frozenset(member.subscribed_topics).union(resolved.topics if resolved else ())

    def subscribed_topics(self) -> Set[str]:
        """The topic names that any member subscribes to."""
        return set(self.topic_subscribers).union(*(pattern.topics for pattern in self.patterns.values()))

    def counted(self) -> Iterable[r.MemberMetadata]:
        """The members that get assignments: all that do not wait for expected instances, and do not stand by."""
        waiting = set(self.hooks.members_waiting(self))
        if not waiting:
            return self.members.values()
        return [member for member in self.members.values() if member.member_id not in waiting]

    def counted_topics(self) -> Set[str]:
        """The topic names that the counted members subscribe to."""
        if not self.hooks.members_waiting(self):
            return self.subscribed_topics()
        return set(chain.from_iterable(map(self.topics_of, self.counted())))


_MAPPINGS = tuple(attribute.name for attribute in fields(Group) if str(attribute.type).startswith("MutableMapping"))

_ATTRIBUTES = tuple(attribute.name for attribute in fields(Group) if attribute.name not in _MAPPINGS)
