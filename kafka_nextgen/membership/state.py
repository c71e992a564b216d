"""The state of a member. A rule takes one and returns another; there is no other state.

Three sets of partitions must be kept apart:

* ``target.partitions`` is what the coordinator last told the member it may have;
* ``owned`` is what the callbacks have finished with, and what heartbeats report;
* ``held`` is what the application was told it has: it grows when ``on_partitions_assigned`` is called and
  shrinks when ``on_partitions_revoked`` or ``on_partitions_lost`` is, whether or not that has returned yet.

In a stable member they are the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attrs import field, frozen

from kafka_nextgen.membership.any_member import AnyMember, Subscription
from kafka_nextgen.membership.effects import Effect
from kafka_nextgen.membership.statement import NO_STATEMENT, Statement
from kafka_nextgen.membership.states import Status
from kafka_nextgen.membership.timers import Deadlines
from kafka_nextgen.types import TopicId, TopicIdPartition, TopicPartition

__all__ = [
    "NOTHING",
    "NOT_A_MEMBER",
    "MemberState",
    "Outcome",
    "Sent",
    "Target",
    "by_name",
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
    statement: Statement = NO_STATEMENT
    installed: int = 0


@frozen
class MemberState(AnyMember):
    """The state of one member."""

    member_id: str
    status: Status = Status.UNSUBSCRIBED
    statement: Statement = NO_STATEMENT  # the fields of extensions
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

    in_flight: int | None = None  # the number of the heartbeat in flight
    sent_at: float = 0.0  # when the last heartbeat was sent
    sent: Sent | None = None  # None after any failure: what the coordinator got is unknown
    pattern_told: str | None = None  # what the coordinator may have; "" if it was taken away, None if none was sent
    interval_s: float = 0.0  # between heartbeats; the coordinator tells it
    instance_id_deadline: float | None = None  # until when an instance id in use is asked for again

    deadlines: Deadlines = field(factory=dict)


#: What a rule returns: the new state and the effects, in order.
Outcome = tuple[MemberState, tuple[Effect, ...]]


def by_name(state: MemberState, partitions: Iterable[TopicIdPartition]) -> frozenset[TopicPartition]:
    """The same partitions with their topics' names, which must be known."""
    return frozenset(TopicPartition(state.names[tip.topic_id], tip.partition) for tip in partitions)
