"""The state of a member. A rule takes one and returns another; there is no other state.

Three sets of partitions must be kept apart: ``target.partitions`` is what the coordinator last told the member it may
have; for ``owned`` and ``held`` see ``AnyMemberState``. In a stable member they are the same.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from kafka_nextgen.assignors.spec import ClientAssignor
from kafka_nextgen.membership.any_member import AnyMemberState, Subscription
from kafka_nextgen.membership.effects import Effect
from kafka_nextgen.membership.states import Status
from kafka_nextgen.types import TopicId, TopicIdPartition, TopicPartition

__all__ = [
    "NOTHING",
    "NOT_A_MEMBER",
    "MemberState",
    "Outcome",
    "Sent",
    "Target",
]

#: The epoch of commits from outside a group.
NOT_A_MEMBER = -1

NOTHING: frozenset[TopicIdPartition] = frozenset()


@frozen
class Target:
    """Partitions to own. ``version`` rises with each new target, so that A, then B, then A are three."""

    version: int
    partitions: frozenset[TopicIdPartition]


@frozen
class Sent:
    """What the coordinator was told last, as far as it can change: later heartbeats leave out what is the same."""

    subscription: Subscription
    acknowledged: int
    assignors: tuple[ClientAssignor, ...]
    installed: int = 0


@frozen
class MemberState(AnyMemberState):
    """The state of one member."""

    member_id: str
    status: Status = Status.UNSUBSCRIBED
    assignors: tuple[ClientAssignor, ...] = ()  # its own, with their metadata, the preferred one first (an extension)
    installed: int = 0  # how many of its targets the coordinator took

    member_epoch: int = NOT_A_MEMBER
    published_epoch: int = NOT_A_MEMBER  # what commits carry; follows the epoch once its assignment is known

    owned: frozenset[TopicIdPartition] = NOTHING
    held: frozenset[TopicIdPartition] = NOTHING
    names: Mapping[TopicId, str] = field(factory=dict)  # of every topic in owned and held, and more

    target: Target | None = None  # the latest; None until the coordinator told one since the member joined
    goal: Target | None = None  # what the reconciliation under way leads to: a target, or its resolved part
    reconciled_version: int = 0  # the target last reached, or reached as far as its topics had names
    acknowledged: int = 0  # the number of the last reconciliation that is to be acknowledged

    sent: Sent | None = None  # None after any failure: what the coordinator got is unknown
    pattern_told: str | None = None  # what the coordinator may have; "" if it was taken away, None if none was sent
    interval_s: float = 0.0  # between heartbeats; the coordinator tells it
    instance_id_deadline: float | None = None  # until when an instance id in use is asked for again

    def by_name(self, partitions: frozenset[TopicIdPartition]) -> frozenset[TopicPartition]:
        """The same partitions with their topics' names, which must be known."""
        return frozenset(TopicPartition(self.names[tip.topic_id], tip.partition) for tip in partitions)


#: What a rule returns: the new state and the effects, in order.
Outcome = tuple[MemberState, tuple[Effect, ...]]
