"""A group: what its records add up to.

Records are taken in by ``applying``, for live requests and for recovery alike, so a group is at any time what its log
says.

The records are kept as they came. Beside them stand a few indexes that are kept in step: who owns a partition, which
member has an instance id, how many members subscribe to a topic or a pattern or vote for an assignor, how many speak
the classic protocol and what these offer.

What extensions read out of records is in ``kept``, and what no record says in ``remembered`` (``hooks``). Theirs are
also ``client_assignor``, ``assignment_error`` and ``target_metadata``, from fields that they add to Kafka's records.

A name has a consumer group, or a classic group (``classic``), or offsets alone. Of a classic group the records tell but
what each generation came to; the rest of ``classic`` is put there by whoever commits an outcome.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping, Set
from itertools import chain

from attrs import define, field, fields, frozen

from kafka_nextgen.assignors.spec import Metadata
from kafka_nextgen.coordinator import records as r
from kafka_nextgen.coordinator.classic.group import ClassicGroup
from kafka_nextgen.coordinator.hooks import NO_EXTENSIONS, Hooks
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
    hooks: Hooks = field(default=NO_EXTENSIONS, eq=False, repr=False)

    is_consumer_group: bool = False
    epoch: int = field(init=False)
    metadata_hash: int = 0
    assignment_epoch: int = field(init=False)
    assignment_timestamp_ms: int = 0
    client_assignor: str | None = None  # that a member made the target assignment with
    assignment_error: int = 0  # what that assignor had to tell the members
    members: MutableMapping[str, r.MemberMetadata] = field(factory=dict)
    currents: MutableMapping[str, r.CurrentMemberAssignment] = field(factory=dict)
    targets: MutableMapping[str, Share] = field(factory=dict)
    target_metadata: MutableMapping[str, Metadata] = field(factory=dict)  # of those that the assignor has some for
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

    kept: Mapping[str, object] = field(factory=dict)  # by name; another one after each change
    remembered: object = field(default=None, eq=False)

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
        said = (self.members, self.currents, self.targets, self.patterns, self.kept)
        return self.exists or any(said)

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

    def counted(self) -> Iterable[r.MemberMetadata]:
        """The members that assignments are made of: all that wait for no others."""
        waiting = set(self.hooks.members_waiting(self))
        if not waiting:
            return self.members.values()
        return [member for member in self.members.values() if member.member_id not in waiting]

    def counted_topics(self) -> Set[str]:
        """The names that these subscribe to."""
        if not self.hooks.members_waiting(self):
            return self.subscribed_topics()
        return set(chain.from_iterable(map(self.topics_of, self.counted())))


_MAPPINGS = (
    "members",
    "currents",
    "targets",
    "target_metadata",
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

_ATTRIBUTES = tuple(attribute.name for attribute in fields(Group) if attribute.name not in _MAPPINGS)
