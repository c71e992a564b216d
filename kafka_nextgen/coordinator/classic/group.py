"""A classic group at one moment, as a value.

It goes round: Empty, PreparingRebalance (members join), CompletingRebalance (the leader assigns), Stable. Only what a
generation came to is recorded (``records.ClassicGroupMetadata``). The rest is in memory alone, and here: who has joined
the next generation, whose requests are parked, who was given an id and has not come back with it. A fail-over loses it,
and members find their way back by the errors they get.

Every change makes a new value. So whatever a request comes to can be dropped without a trace, and members stay in the
order they joined in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum

from attrs import evolve, field, frozen

from kafka_nextgen.coordinator.classic.requests import JoinGroup, OfferedProtocol

__all__ = ["ClassicGroup", "ClassicMember", "ClassicStatus", "InitialWait"]


class ClassicStatus(Enum):
    """Where the group stands, by Kafka's names. Dead is a group that is not there."""

    EMPTY = "Empty"
    PREPARING_REBALANCE = "PreparingRebalance"
    COMPLETING_REBALANCE = "CompletingRebalance"
    STABLE = "Stable"


@frozen
class ClassicMember:
    """A member. ``join`` and ``sync`` are the numbers of its requests that are parked.

    ``is_new`` until its first join is answered; ``owes_sync`` from that until it asks for its part.
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
        """Whether a request of it waits, so that it can't be expected to send heartbeats."""
        return self.join is not None or self.sync is not None

    @property
    def names(self) -> tuple[str, ...]:
        """The protocols it offers, preferred first."""
        return tuple(protocol.name for protocol in self.protocols)

    def metadata(self, protocol: str | None) -> bytes:
        """What it said for a protocol."""
        return next((offered.metadata for offered in self.protocols if offered.name == protocol), b"")


@frozen
class InitialWait:
    """A group that was empty waits for company: so long still, if there is reason to (``somebody_came``)."""

    left_ms: int
    somebody_came: bool = False


@frozen
class ClassicGroup:
    """The group; its members by id, in the order they joined.

    ``instances`` has the holder of each instance id, ``support`` how many members offer each protocol. ``topics`` are
    those that members subscribed to when this generation began, None if that can't be told.
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
        """Whether nobody is waited for any more."""
        return not self.pending and all(member.join is not None for member in self.in_order())

    @property
    def rebalance_timeout_s(self) -> float:
        """How long members may take: the longest any of them asks for."""
        return max((member.rebalance_timeout_ms for member in self.in_order()), default=0) / 1000

    def common_protocols(self) -> list[str]:
        """What all members offer, in the first one's order."""
        first = next(iter(self.in_order()), None)
        return [] if first is None else [name for name in first.names if self.support[name] == len(self.members)]

    def with_member(self, *changed: ClassicMember) -> ClassicGroup:
        """The same with these members, be they new or changed."""
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
        """The same without this member, or without waiting for it. If it led, the first that is left does."""
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
