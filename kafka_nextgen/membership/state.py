"""Everything a member knows. A rule gets one of these and returns another; nothing else is remembered anywhere.

Three sets of partitions must be kept apart:

* ``target.partitions`` is what the coordinator last told the member it may have;
* ``owned`` is what the callbacks have finished with, and what heartbeats report;
* ``held`` is what the application was told it has: it grows when ``on_partitions_assigned`` is called and
  shrinks when ``on_partitions_revoked`` or ``on_partitions_lost`` is, whether or not that has returned yet.

In a stable member they are the same. One counter numbers heartbeats, commits, callbacks and targets alike, so
that a number names one thing only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum

from attrs import evolve, field, frozen

from kafka_nextgen.membership.effects import Effect
from kafka_nextgen.membership.states import Phase, Status
from kafka_nextgen.membership.timers import Deadlines
from kafka_nextgen.types import LeaveMode, TopicId, TopicIdPartition, TopicPartition

__all__ = [
    "NOTHING",
    "NOT_A_MEMBER",
    "Leaving",
    "MemberState",
    "Outcome",
    "Sent",
    "Subscription",
    "Target",
    "Why",
    "by_name",
    "numbered",
]

#: The epoch under which commits go that don't come from a member.
NOT_A_MEMBER = -1

#: The empty set of partitions.
NOTHING: frozenset[TopicIdPartition] = frozenset()


@frozen
class Subscription:
    """What the application wants to read: topics by name, or all that match a pattern."""

    topics: frozenset[str] = frozenset()
    pattern: str | None = None


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


class Why(Enum):
    """Why the member leaves."""

    CLOSED = "closed"
    UNSUBSCRIBED = "unsubscribed"
    EXPIRED = "expired"  # the application stopped polling


@frozen
class Leaving:
    """A leave that was decided, and what the coordinator is to be told of it."""

    why: Why
    mode: LeaveMode = LeaveMode.DEFAULT


@frozen
class MemberState:
    """A member at one moment."""

    member_id: str
    status: Status = Status.UNSUBSCRIBED
    phase: Phase = Phase.IDLE
    subscription: Subscription | None = None
    leaving: Leaving | None = None

    member_epoch: int = NOT_A_MEMBER
    published_epoch: int = NOT_A_MEMBER  # what commits carry; follows the epoch once its assignment is known

    owned: frozenset[TopicIdPartition] = NOTHING
    held: frozenset[TopicIdPartition] = NOTHING
    names: Mapping[TopicId, str] = field(factory=dict)  # of every topic in owned and held, and more

    target: Target | None = None  # the latest; None until the coordinator told one since the member joined
    goal: Target | None = None  # what the reconciliation under way leads to: a target, or its resolved part
    reconciled_version: int = 0  # the target last reached, or reached as far as its topics had names
    acknowledged: int = 0  # the number of the last reconciliation that is to be acknowledged
    waits_for: int | None = None  # the number of the commit or callback under way

    in_flight: int | None = None  # the number of the heartbeat under way
    sent: Sent | None = None  # None after any failure: then nobody knows what the coordinator knows
    pattern_told: bool = False  # a pattern was sent once, so that only "" takes it away again
    interval_s: float = 0.0  # between heartbeats; the coordinator tells it
    failures: int = 0  # heartbeats that failed in a row
    instance_id_deadline: float | None = None  # until when an instance id in use is asked for again

    deadlines: Deadlines = field(factory=dict)
    last_number: int = 0


#: What a rule returns: the state after it, and what is to be done, in this order.
Outcome = tuple[MemberState, tuple[Effect, ...]]


def numbered(state: MemberState) -> tuple[MemberState, int]:
    """Take the next number."""
    number = state.last_number + 1
    return evolve(state, last_number=number), number


def by_name(state: MemberState, partitions: Iterable[TopicIdPartition]) -> frozenset[TopicPartition]:
    """The same partitions with their topics' names, which must be known."""
    return frozenset(TopicPartition(state.names[tip.topic_id], tip.partition) for tip in partitions)
