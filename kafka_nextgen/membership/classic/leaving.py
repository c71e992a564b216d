"""Leaving: because the application closes, unsubscribes, or stopped polling.

Closing and unsubscribing are orderly: stop fetching, commit (only if closing, and with auto-commit: who
unsubscribes may want to read the same records again), ``on_partitions_revoked``, then the LeaveGroup. Until that
the member keeps its session, but for no longer than the application may take between two polls: then it leaves, and
only the application's call waits for the callback that runs. In the middle of a rebalance there is no generation to
commit in: what is held then is lost instead.

A dynamic member says that it leaves. A static one says nothing, so that its partitions wait for it until its
session ends (KIP-345); ``leave="leave"`` makes both say it, ``leave="remain"`` neither. A member that stopped
polling can't wait for its application: it loses its partitions at once, and joins again at the next poll.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.membership.any_member import Leaving, Why, commit_or_revoke, decided
from kafka_nextgen.membership.classic import joining, losing, requests
from kafka_nextgen.membership.classic.effects import ClassicEffect
from kafka_nextgen.membership.classic.events import LeaveEnded
from kafka_nextgen.membership.classic.losing import ASSIGN_NOTHING
from kafka_nextgen.membership.classic.settings import ClassicSettings, Moment
from kafka_nextgen.membership.classic.state import NOTHING, ClassicState, Outcome
from kafka_nextgen.membership.classic.states import Status
from kafka_nextgen.membership.classic.timers import Timer
from kafka_nextgen.membership.effects import CallOnRevoked, Left
from kafka_nextgen.membership.events import (
    AssignFinished,
    Closed,
    CommitFinished,
    LossFinished,
    Polled,
    RevokeFinished,
    TimePassed,
    Unsubscribed,
)
from kafka_nextgen.membership.numbering import numbered
from kafka_nextgen.membership.states import CALLBACK_RUNS, Phase
from kafka_nextgen.membership.timers import armed, disarmed, is_due
from kafka_nextgen.types import LeaveMode

__all__ = [
    "callback_finished",
    "commit_finished",
    "expire",
    "expire_while_leaving",
    "give_up",
    "give_up_between",
    "heard_of_loss",
    "heard_when_out",
    "left",
    "out_already",
    "return_if_heard",
    "time_passed",
]

AnyCallbackFinished = RevokeFinished | AssignFinished | LossFinished

#: What a LeaveGroup says (KIP-800).
REASONS = {
    Why.CLOSED: "the consumer is being closed",
    Why.UNSUBSCRIBED: "the consumer unsubscribed",
    Why.EXPIRED: "the application did not poll within max.poll.interval.ms",
}


def give_up(state: ClassicState, event: Closed | Unsubscribed, at: Moment) -> Outcome:
    """The application closes or unsubscribes a STABLE member. A callback that runs is waited for first.

    As a poll does, the call shows that the application lives: it has the whole poll interval for its last callbacks.
    """
    limit = at.now + at.settings.max_poll_interval_s
    stop = losing.stop_all(state)
    callback_runs = state.phase in CALLBACK_RUNS
    state = evolve(
        decided(state, event),
        status=Status.PREPARE_LEAVING,
        phase=state.phase if callback_runs else Phase.IDLE,
        waits_for=state.waits_for if callback_runs else None,
        assigned=None,
        asked=None,
        must_rejoin=False,
        deadlines=armed(disarmed(state.deadlines, Timer.TOPICS, Timer.WATCH), Timer.POLL, limit),
    )
    if callback_runs:
        return state, stop
    state, effects = commit_or_revoke(state, at, _revoke)
    return state, stop + effects


def give_up_between(state: ClassicState, event: Closed | Unsubscribed, at: Moment) -> Outcome:
    """The application closes or unsubscribes in the middle of a rebalance: what is held is lost."""
    state, effects = losing.abandon(decided(state, event), forget_id=False)
    state = evolve(state, status=Status.PREPARE_LEAVING, deadlines={})
    if state.phase is not Phase.IDLE:
        return state, effects
    state, leave = _leave(state, at)
    return state, effects + leave


def commit_finished(state: ClassicState, _event: CommitFinished, at: Moment) -> Outcome:
    """Committed, or not: closing goes on."""
    return _revoke(state, at)


def _revoke(state: ClassicState, at: Moment) -> Outcome:
    if not state.held:
        return _leave(state, at)
    state, number = numbered(state)
    revoked = tuple(sorted(state.held))
    state = evolve(state, phase=Phase.REVOKING, waits_for=number, held=NOTHING)
    return state, (CallOnRevoked(number, revoked),)


def callback_finished(state: ClassicState, _event: RevokeFinished | AssignFinished, at: Moment) -> Outcome:
    """The callback returned, or raised: give up what is left, or leave."""
    return commit_or_revoke(state, at, _revoke)


def heard_of_loss(state: ClassicState, _event: LossFinished, at: Moment) -> Outcome:
    """The application knows that there is nothing left to give up."""
    return _leave(state, at)


def _leave(state: ClassicState, at: Moment) -> Outcome:
    """Send the LeaveGroup, if there is a member and it is to say that it leaves."""
    leaving = state.leaving
    assert leaving is not None, "the member is to leave"
    had_any = bool(state.owned) or state.phase is not Phase.IDLE
    emptied: tuple[ClassicEffect, ...] = (ASSIGN_NOTHING,) if had_any else ()
    state, published = losing.count_out(evolve(state, phase=Phase.IDLE, owned=NOTHING, waits_for=None), forget_id=False)
    if not (state.member_id and _says_so(leaving.mode, at.settings)):
        state, effects = _out(evolve(state, member_id=""), at)
        return state, emptied + published + effects
    state, effects = requests.send_leave(state, at, REASONS[leaving.why])
    deadlines = {Timer.LEAVE: at.now + at.settings.leave_timeout_s}
    return evolve(state, status=Status.LEAVING, deadlines=deadlines), emptied + published + effects


def _says_so(mode: LeaveMode, settings: ClassicSettings) -> bool:
    return mode is LeaveMode.LEAVE or (mode is LeaveMode.DEFAULT and settings.instance_id is None)


def left(state: ClassicState, _event: LeaveEnded, at: Moment) -> Outcome:
    """The leave was answered, in any way."""
    return _out(state, at)


def time_passed(state: ClassicState, _event: TimePassed, at: Moment) -> Outcome:
    """Leave without a response once its timeout is over."""
    return _out(state, at) if is_due(state.deadlines, Timer.LEAVE, at.now) else (state, ())


def expire(state: ClassicState, at: Moment) -> Outcome:
    """The application stopped polling: lose everything, and be STALE until it polls again.

    Only a dynamic member sends a leave. The partitions of a static one wait for it, as if it had crashed, and there is
    no response to wait for.
    """
    return _leave_at_once(state, at, Leaving(Why.EXPIRED))


def expire_while_leaving(state: ClassicState, _event: TimePassed, at: Moment) -> Outcome:
    """The last callbacks take too long: leave without them, so that others get the partitions."""
    if not is_due(state.deadlines, Timer.POLL, at.now):
        return state, ()
    assert state.leaving is not None, "the member is to leave"
    return _leave_at_once(state, at, state.leaving)


def _leave_at_once(state: ClassicState, at: Moment, leaving: Leaving) -> Outcome:
    member_id = state.member_id
    state, lost = losing.abandon(state, forget_id=True)
    state = evolve(state, status=Status.STALE, deadlines={})
    if not (member_id and _says_so(leaving.mode, at.settings)):
        return state, lost
    state, leave = requests.send_leave(evolve(state, member_id=member_id), at, REASONS[leaving.why])
    return evolve(state, request=None), lost + leave


def return_if_heard(state: ClassicState, _event: Polled, at: Moment) -> Outcome:
    """The application polls again: join, as soon as it has heard that its partitions are lost."""
    return (joining.enter(state, at), ()) if state.phase is Phase.IDLE else (state, ())


def heard_when_out(state: ClassicState, _event: AnyCallbackFinished, at: Moment) -> Outcome:
    """The application has heard of its loss: end, if that was decided meanwhile."""
    state = evolve(state, phase=Phase.IDLE, waits_for=None)
    if state.leaving is None:
        return state, (ASSIGN_NOTHING,)
    state, effects = _out(state, at)
    return state, (ASSIGN_NOTHING, *effects)


def out_already(state: ClassicState, event: Closed | Unsubscribed, at: Moment) -> Outcome:
    """There is no group to leave; but the application hears first that its partitions are lost."""
    state = decided(state, event)
    return _out(state, at) if state.phase is Phase.IDLE else (state, ())


def _out(state: ClassicState, at: Moment) -> Outcome:
    """The member is out: end here, or join for a subscription made meanwhile."""
    leaving = state.leaving
    assert leaving is not None, "the member was to leave"
    state = evolve(state, request=None, deadlines={})
    if state.status is Status.FATAL:
        return evolve(state, leaving=None), (Left(),)
    if leaving.why is Why.UNSUBSCRIBED and state.subscription is not None:
        return joining.enter(state, at), (Left(),)
    return evolve(state, status=Status.UNSUBSCRIBED, leaving=None), (Left(),)
