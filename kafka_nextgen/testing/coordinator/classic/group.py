"""A classic group at one moment, as a value.

Its states are Empty, PreparingRebalance (members join), CompletingRebalance (the leader assigns) and Stable. Only the
result of a generation is recorded (``records.ClassicGroupMetadata``). The rest is only in memory: which members have
joined the next generation, which requests are parked, and which ids were given to members that have not joined again
with them. A fail-over loses it, and members recover from the resulting errors.

Every change creates a new value, so the effect of a request can be dropped. Members stay in the order they joined.

Consumers' metadata for the chosen protocol begins with their topics. It is read when a generation begins, so a member
that joins or leaves counts from the next generation on. Before a protocol is chosen, or if a member's metadata can't be
decoded, the members may subscribe to any topic.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from enum import Enum

from attrs import evolve, field

from kafka_nextgen.errors import DecodeError
from kafka_nextgen.groups.consumer_protocol import PROTOCOL_TYPE, decode_subscription
from kafka_nextgen.groups.offered_protocol import OfferedProtocol
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.testing.coordinator.classic.requests import JoinGroup
from kafka_nextgen.testing.coordinator.hash_map import place

__all__ = ["ClassicGroup", "ClassicMember", "ClassicStatus", "InitialWait"]


class ClassicStatus(Enum):
    """The group's state, by Kafka's names. Dead means that the group does not exist."""

    EMPTY = "Empty"
    PREPARING_REBALANCE = "PreparingRebalance"
    COMPLETING_REBALANCE = "CompletingRebalance"
    STABLE = "Stable"


@frozen
class ClassicMember:
    """A member. ``join`` and ``sync`` are the numbers of its parked requests.

    ``is_new`` until its first JoinGroup is answered; ``owes_sync`` from then until it sends a SyncGroup.
    """

    member_id: str
    instance_id: str | None
    client_id: str
    client_host: str
    rebalance_timeout_ms: int
    session_timeout_ms: int
    protocols: tuple[OfferedProtocol, ...]
    assignment: bytes = b""
    is_new: bool = False
    owes_sync: bool = False
    join: int | None = None
    sync: int | None = None

    @property
    def is_parked(self) -> bool:
        """Whether a request of the member is parked, so that it sends no heartbeats."""
        return self.join is not None or self.sync is not None

    @property
    def names(self) -> tuple[str, ...]:
        """The protocols it offers, preferred first."""
        return tuple(protocol.name for protocol in self.protocols)

    def metadata(self, protocol: str | None) -> bytes:
        """The member's metadata for a protocol."""
        return next((offered.metadata for offered in self.protocols if offered.name == protocol), b"")


@frozen
class InitialWait:
    """The initial rebalance delay: the time left to extend it, and whether a member joined since it began."""

    left_ms: int
    has_new_member: bool = False


@frozen
class ClassicGroup:
    """The group; its members by id, in the order they joined.

    ``instances`` has the holder of each instance id, ``support`` how many members offer each protocol. ``topics`` are
    those that members subscribed to when this generation began, None if unknown.
    """

    group_id: str
    status: ClassicStatus = ClassicStatus.EMPTY
    generation: int = 0
    protocol_type: str | None = None
    protocol: str | None = None
    topics: frozenset[str] | None = None
    leader_id: str | None = None
    members: Mapping[str, ClassicMember] = field(factory=dict)
    instances: Mapping[str, str] = field(factory=dict)
    support: Mapping[str, int] = field(factory=dict)
    pending: frozenset[str] = frozenset()
    initial_wait: InitialWait | None = None
    held: Mapping[str, JoinGroup] = field(factory=dict)  # joins of expected instances that wait for others

    def is_in(self, *states: ClassicStatus) -> bool:
        """Whether the group is in one of these states."""
        return self.status in states

    def holder_of(self, instance_id: str | None) -> str | None:
        """The member that has an instance id, or None."""
        return None if instance_id is None else self.instances.get(instance_id)

    def in_order(self) -> Iterable[ClassicMember]:
        """The members, in the order they joined."""
        return self.members.values()

    @property
    def all_have_joined(self) -> bool:
        """Whether all members have joined, and none is pending."""
        return not self.pending and all(member.join is not None for member in self.in_order())

    @property
    def rebalance_timeout_s(self) -> float:
        """The longest rebalance timeout of any member."""
        return max((member.rebalance_timeout_ms for member in self.in_order()), default=0) / 1000

    def common_protocols(self) -> list[str]:
        """The protocols that all members offer, in the first member's order."""
        first = next(iter(self.in_order()), None)
        return [] if first is None else [name for name in first.names if self.support[name] == len(self.members)]

    def chosen_protocol(self) -> str:
        """The protocol that most members prefer among those that all offer; on a tie, as in Kafka, the first in the
        order of a Java hash map.
        """
        common = self.common_protocols()
        votes = Counter(next(name for name in member.names if name in common) for member in self.in_order())
        return min(votes, key=lambda name: (-votes[name], place(name)))

    def may_subscribe_to(self, topic: str) -> bool:
        """Whether a member subscribes to the topic, according to the metadata that the coordinator can read."""
        return self.protocol_type == PROTOCOL_TYPE if self.topics is None else topic in self.topics

    def with_topics(self) -> ClassicGroup:
        """A copy at the start of its generation, with its members' topics."""
        return evolve(self, topics=self._subscribed_topics())

    def _subscribed_topics(self) -> frozenset[str] | None:
        if self.protocol_type != PROTOCOL_TYPE or (self.members and self.protocol is None):
            return None
        try:
            named = [decode_subscription(member.metadata(self.protocol)).topics for member in self.in_order()]
        except DecodeError:
            return None
        return frozenset().union(*named)

    def with_member(self, *changed: ClassicMember) -> ClassicGroup:
        """A copy with these new or changed members."""
        members = {**self.members, **{member.member_id: member for member in changed}}
        statics = {member.instance_id: member.member_id for member in changed if member.instance_id is not None}
        former = [self.members[member.member_id] for member in changed if member.member_id in self.members]
        return evolve(
            self,
            members=members,
            instances={**self.instances, **statics},
            support=_counted(self.support, more=changed, less=former),
            leader_id=self.leader_id or next(iter(members), None),
            pending=self.pending - members.keys() if self.pending else self.pending,
        )

    def without(self, member_id: str) -> ClassicGroup:
        """A copy without this member or pending member. If it led, the first remaining member leads."""
        members = {other: member for other, member in self.members.items() if other != member_id}
        former = [self.members[member_id]] if member_id in self.members else []
        leader_id = next(iter(members), None) if self.leader_id == member_id else self.leader_id
        return evolve(
            self,
            members=members,
            instances={instance_id: holder for instance_id, holder in self.instances.items() if holder != member_id},
            support=_counted(self.support, less=former),
            leader_id=leader_id,
            pending=self.pending - {member_id},
        )


def _counted(
    support: Mapping[str, int], more: Iterable[ClassicMember] = (), less: Iterable[ClassicMember] = ()
) -> dict[str, int]:
    counts = dict(support)
    for by, members in ((+1, more), (-1, less)):
        for name in (name for member in members for name in set(member.names)):
            counts[name] = counts.get(name, 0) + by
    return {name: count for name, count in counts.items() if count}
