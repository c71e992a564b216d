"""The complete state of a member. A rule takes a state and returns a new one.

There are three sets of partitions: ``target.partitions`` is the latest target assignment from the coordinator;
``owned`` and ``held`` are described in ``AnyMemberState``. In a stable member all three are equal.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field

from kafka_nextgen.assignors.spec import ClientAssignor
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.membership.any_member import AnyMemberState, Subscription
from kafka_nextgen.membership.effects import Effect
from kafka_nextgen.membership.states import Status
from kafka_nextgen.types import StandbyState, TopicId, TopicIdPartition, TopicPartition

__all__ = [
    "NOTHING",
    "NOT_A_MEMBER",
    "MemberState",
    "Outcome",
    "Sent",
    "Target",
]

#: The member epoch in commits of a consumer that is not a member.
NOT_A_MEMBER = -1

NOTHING: frozenset[TopicIdPartition] = frozenset()


@frozen
class Target:
    """Partitions to own. Each new target has a higher ``version``, even if an earlier one had the same partitions."""

    version: int
    partitions: frozenset[TopicIdPartition]


@frozen
class Sent:
    """The changeable contents of the last heartbeat: later heartbeats omit the fields that are unchanged."""

    subscription: Subscription
    acknowledged: int
    assignors: tuple[ClientAssignor, ...]
    installed: int = 0
    standby_state: StandbyState = StandbyState.UNKNOWN


@frozen
class MemberState(AnyMemberState):
    """The state of one member."""

    member_id: str
    status: Status = Status.UNSUBSCRIBED
    assignors: tuple[ClientAssignor, ...] = ()  # local assignors with metadata, in order of preference (an extension)
    standby_state: StandbyState = StandbyState.UNKNOWN  # whether it is ready as a standby (an extension)
    installed: int = 0  # the number of targets computed by this member that the coordinator has accepted

    member_epoch: int = NOT_A_MEMBER
    published_epoch: int = NOT_A_MEMBER  # in commits; set to member_epoch once the assignment of that epoch is known

    owned: frozenset[TopicIdPartition] = NOTHING
    held: frozenset[TopicIdPartition] = NOTHING
    names: Mapping[TopicId, str] = field(factory=dict)  # of all topics in owned and held, and others

    target: Target | None = None  # the latest; None if the coordinator has not sent one since the member joined
    goal: Target | None = None  # of the current reconciliation: a target, or the part whose topic names are known
    reconciled_version: int = 0  # of the last target reconciled, even if some of its topics had no names yet
    acknowledged: int = 0  # the number of the last reconciliation to acknowledge

    sent: Sent | None = None  # None after any failure: the coordinator may not have received the last heartbeat
    pattern_told: str | None = None  # the pattern that the coordinator may have; "" if removed, None if none was sent
    interval_s: float = 0.0  # between heartbeats, as set by the coordinator
    instance_id_deadline: float | None = None  # when to stop retrying an instance id that another member holds

    def by_name(self, partitions: frozenset[TopicIdPartition]) -> frozenset[TopicPartition]:
        """The same partitions with topic names, all of which must be known."""
        return frozenset(TopicPartition(self.names[tip.topic_id], tip.partition) for tip in partitions)


#: What a rule returns: the new state and the effects, in order.
Outcome = tuple[MemberState, tuple[Effect, ...]]
