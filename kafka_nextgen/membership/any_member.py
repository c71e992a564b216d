"""The state and rules that members of both protocols share."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any, Generic, TypeVar

from attrs import evolve, field

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.membership.classic.states import Status as ClassicStatus
from kafka_nextgen.membership.effects import (
    ApplyAssignment,
    CallOnAssigned,
    CallOnLost,
    CallOnRevoked,
    CommitConsumed,
    StopFetching,
)
from kafka_nextgen.membership.events import AnyCallbackFinished, Closed, Polled, Unsubscribed
from kafka_nextgen.membership.settings import GroupSettings
from kafka_nextgen.membership.state_machine import Numbering, RuleContext, numbered
from kafka_nextgen.membership.states import CALLBACK_RUNS, NEEDS_POLL, Phase, Status
from kafka_nextgen.membership.timers import Deadlines, Timer, armed, disarmed
from kafka_nextgen.types import JoinReason, LeaveMode, TopicPartition

__all__ = [
    "ASSIGN_NOTHING",
    "AnyMember",
    "AnyMemberState",
    "LeaveReason",
    "Leaving",
    "Subscription",
    "begin_leaving",
    "call_on_assigned",
    "call_on_revoked",
    "callback_finished",
    "commit",
    "commit_or_revoke",
    "note_decision",
    "polled",
    "report_loss",
    "stop_fetching",
    "with_leave_decision",
]

#: The effect once the application knows that all its partitions are gone.
ASSIGN_NOTHING = ApplyAssignment(frozenset(), (), frozenset())

_STALE = (Status.STALE, ClassicStatus.STALE)


@frozen
class Subscription:
    """What the application subscribes to: topics by name, or all that match a pattern."""

    topics: frozenset[str] = frozenset()
    pattern: str | None = None


class LeaveReason(Enum):
    """Why the member is leaving."""

    CLOSED = "closed"
    UNSUBSCRIBED = "unsubscribed"
    EXPIRED = "expired"  # the application stopped polling


@frozen
class Leaving:
    """A decision to leave, and whether to notify the coordinator (KIP-1092)."""

    why: LeaveReason
    mode: LeaveMode = LeaveMode.DEFAULT


@frozen(kw_only=True)
class AnyMemberState(Numbering):
    """The part of a member's state that both protocols share.

    ``owned`` are the partitions whose callbacks have finished; the member reports them to the coordinator. ``held`` are
    the partitions that were passed to the application: it grows when ``on_partitions_assigned`` is called and shrinks
    when ``on_partitions_revoked`` or ``on_partitions_lost`` is called, before these return.
    """

    member_id: str = ""
    status: Status | ClassicStatus = Status.UNSUBSCRIBED
    phase: Phase = Phase.IDLE
    subscription: Subscription | None = None
    leaving: Leaving | None = None
    owned: frozenset[Any] = frozenset()  # of TopicIdPartition or TopicPartition
    held: frozenset[Any] = frozenset()
    waits_for: int | None = None  # the number of the pending commit or callback
    failures: int = 0  # consecutive failed requests
    join_reason: JoinReason = JoinReason.UNKNOWN  # sent with each join until one is answered (an extension)
    in_flight: int | None = None  # the number of the heartbeat in flight
    sent_at: float = 0.0  # when the last heartbeat was sent
    deadlines: Deadlines = field(factory=dict)

    def by_name(self, partitions: frozenset[Any]) -> frozenset[TopicPartition]:
        """The same partitions with their topics' names."""
        return partitions


S = TypeVar("S", bound=AnyMemberState)
E = TypeVar("E")
Context = RuleContext[GroupSettings]


class AnyMember(Generic[S]):
    """The public state of a member of either protocol."""

    state: S

    def deadline(self) -> float | None:
        """When to pass in TimePassed (seconds, monotonic) if nothing else happens; None for never."""
        return min(self.state.deadlines.values(), default=None)

    @property
    def member_id(self) -> str:
        """The member id; empty if it has none."""
        return self.state.member_id

    @property
    def phase(self) -> Phase:
        """What the member is waiting for."""
        return self.state.phase

    @property
    def owned(self) -> frozenset[TopicPartition]:
        """The partitions whose callbacks have finished."""
        return self.state.by_name(self.state.owned)

    @property
    def wants_poll(self) -> bool:
        """Whether the member is waiting for a poll to reconcile, to repeat a callback that raised, or to join again."""
        if self.state.status in _STALE:
            return self.state.phase is Phase.IDLE
        return self.state.phase in NEEDS_POLL


# ---- callbacks and commits


def stop_fetching(state: AnyMemberState, partitions: frozenset[Any]) -> tuple[StopFetching, ...]:
    """Stop handing over records of these partitions."""
    return (StopFetching(state.by_name(partitions)),) if partitions else ()


def commit(state: S, deadline: float) -> tuple[S, tuple[CommitConsumed, ...]]:
    """Commit the processed offsets of all partitions."""
    state, number = numbered(state)
    return evolve(state, phase=Phase.COMMITTING, waits_for=number), (CommitConsumed(number, deadline),)


def call_on_revoked(state: S, revoked: frozenset[Any]) -> tuple[S, tuple[CallOnRevoked, ...]]:
    """Call ``on_partitions_revoked`` with the partitions to give up."""
    state, number = numbered(state)
    state = evolve(state, phase=Phase.REVOKING, waits_for=number, held=state.held - revoked)
    return state, (CallOnRevoked(number, _in_order(state, revoked)),)


def call_on_assigned(state: S, added: frozenset[Any]) -> tuple[S, tuple[CallOnAssigned, ...]]:
    """Call ``on_partitions_assigned`` with the new partitions, even if there are none."""
    state, number = numbered(state)
    state = evolve(state, phase=Phase.ASSIGNING, waits_for=number, held=state.held | added)
    return state, (CallOnAssigned(number, _in_order(state, added)),)


def report_loss(
    state: S, lost: frozenset[Any], ended: tuple[E, ...], *, had_any: bool
) -> tuple[S, tuple[E | CallOnLost | ApplyAssignment, ...]]:
    """Call ``on_partitions_lost``, after the effects that ``ended`` the membership.

    Afterwards the phase is IDLE if nothing was lost and no callback is running. A rebalance callback may still be
    running, and its partitions must not be assigned again before it has returned. Callbacks run in the order of their
    effects, so ``on_partitions_lost`` runs after the rebalance callback.
    """
    if lost:
        state, number = numbered(state)
        state = evolve(state, phase=Phase.LOSING, waits_for=number)
        return state, (*ended, CallOnLost(number, _in_order(state, lost)))
    if state.phase in CALLBACK_RUNS | {Phase.LOSING}:
        return state, ended
    emptied = (ASSIGN_NOTHING,) if had_any else ()
    return evolve(state, phase=Phase.IDLE, waits_for=None), (*ended, *emptied)


def _in_order(state: AnyMemberState, partitions: frozenset[Any]) -> tuple[TopicPartition, ...]:
    return tuple(sorted(state.by_name(partitions)))


def callback_finished(state: S, _event: AnyCallbackFinished, _at: object) -> tuple[S, tuple[ApplyAssignment]]:
    """The application now knows that its partitions are lost, even if its callback raised."""
    return evolve(state, phase=Phase.IDLE, waits_for=None), (ASSIGN_NOTHING,)


# ---- polling and leaving


def polled(state: S, _event: Polled, at: Context) -> tuple[S, tuple[()]]:
    """The application polled: restart the poll interval."""
    return _poll_until(state, at), ()


def _poll_until(state: S, at: Context) -> S:
    limit = at.now + at.settings.max_poll_interval_s
    return evolve(state, deadlines=armed(state.deadlines, Timer.POLL, limit))


def with_leave_decision(state: S, event: Closed | Unsubscribed) -> S:
    """The application is closing or unsubscribing."""
    if isinstance(event, Closed):
        return evolve(state, subscription=None, leaving=Leaving(LeaveReason.CLOSED, event.leave))
    if state.leaving is not None and state.leaving.why is LeaveReason.CLOSED:
        return state  # closing overrides unsubscribing
    return evolve(state, subscription=None, leaving=Leaving(LeaveReason.UNSUBSCRIBED))


def note_decision(state: S, event: Closed | Unsubscribed, _at: object) -> tuple[S, tuple[()]]:
    """The member is already leaving: only note what to do afterwards."""
    return with_leave_decision(state, event), ()


Revoke = Callable[[S, Any], tuple[S, tuple[E, ...]]]


def begin_leaving(
    state: S, event: Closed | Unsubscribed, at: Context, revoke: Revoke[S, E]
) -> tuple[S, tuple[StopFetching | CommitConsumed | E, ...]]:
    """The application is closing or unsubscribing: stop fetching, then commit and ``revoke``.

    A callback that is running for a rebalance finishes first. Like a poll, the call restarts the poll interval, which
    bounds the last callbacks.
    """
    stop = stop_fetching(state, state.owned | state.held)
    deadlines = disarmed(state.deadlines, Timer.RESOLVE, Timer.TOPICS, Timer.WATCH)
    state = _poll_until(evolve(with_leave_decision(state, event), deadlines=deadlines), at)
    if state.phase in CALLBACK_RUNS:
        return state, stop
    state, effects = commit_or_revoke(evolve(state, phase=Phase.IDLE, waits_for=None), at, revoke)
    return state, (*stop, *effects)


def commit_or_revoke(state: S, at: Context, revoke: Revoke[S, E]) -> tuple[S, tuple[E | CommitConsumed, ...]]:
    """Continue leaving: with a last commit if the application closes and auto-commit is on, otherwise ``revoke``."""
    assert state.leaving is not None, "the member is about to leave"
    if state.leaving.why is not LeaveReason.CLOSED or not (at.settings.auto_commit and state.held):
        return revoke(state, at)
    return commit(state, at.now + at.settings.leave_timeout_s)
