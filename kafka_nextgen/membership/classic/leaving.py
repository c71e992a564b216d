"""Leaving the group because the application closes, unsubscribes, or has stopped polling.

Closing and unsubscribing are orderly, as in the consumer group protocol: stop fetching, commit, call
``on_partitions_revoked``, then send the LeaveGroup. During a rebalance, no generation accepts commits, so the
partitions are lost instead.

A dynamic member sends a LeaveGroup. A static one does not, so that its partitions stay reserved until its session ends
(KIP-345). With ``leave="leave"``, both send it; with ``leave="remain"``, neither kind does. A member whose application
stopped polling can't wait for callbacks: it loses its partitions immediately, and joins again at the next poll.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.membership.any_member import (
    ASSIGN_NOTHING,
    LeaveReason,
    Leaving,
    begin_leaving,
    call_on_revoked,
    callback_finished,
    commit_or_revoke,
    with_leave_decision,
)
from kafka_nextgen.membership.classic import joining, losing, requests
from kafka_nextgen.membership.classic.effects import ClassicEffect
from kafka_nextgen.membership.classic.events import LeaveEnded
from kafka_nextgen.membership.classic.settings import ClassicContext, ClassicSettings
from kafka_nextgen.membership.classic.state import NOTHING, ClassicState, Outcome
from kafka_nextgen.membership.classic.states import Status
from kafka_nextgen.membership.effects import Left
from kafka_nextgen.membership.events import (
    AnyCallbackFinished,
    AssignFinished,
    Closed,
    CommitFinished,
    LossFinished,
    Polled,
    RevokeFinished,
    TimePassed,
    Unsubscribed,
)
from kafka_nextgen.membership.states import Phase
from kafka_nextgen.membership.timers import Timer, is_due
from kafka_nextgen.types import LeaveMode

__all__ = [
    "callback_finished_when_out",
    "commit_finished",
    "continue_leaving",
    "expire_while_leaving",
    "leave_during_rebalance",
    "leave_outside_group",
    "leave_timed_out",
    "left",
    "loss_reported",
    "prepare_leaving",
    "rejoin_on_poll",
    "time_passed",
]

#: The reason in a LeaveGroup (KIP-800).
REASONS = {
    LeaveReason.CLOSED: "the consumer is being closed",
    LeaveReason.UNSUBSCRIBED: "the consumer unsubscribed",
    LeaveReason.EXPIRED: "the application did not poll within max.poll.interval.ms",
}


def prepare_leaving(state: ClassicState, event: Closed | Unsubscribed, at: ClassicContext) -> Outcome:
    """The application is closing a STABLE member or unsubscribing it."""
    state = evolve(state, status=Status.PREPARE_LEAVING, assigned=None, asked=None, must_rejoin=False)
    return begin_leaving(state, event, at, _revoke)


def leave_during_rebalance(state: ClassicState, event: Closed | Unsubscribed, at: ClassicContext) -> Outcome:
    """The application is closing or unsubscribing during a rebalance: its partitions are lost."""
    state, effects = losing.abandon(with_leave_decision(state, event), forget_id=False)
    state = evolve(state, status=Status.PREPARE_LEAVING, deadlines={})
    if state.phase is not Phase.IDLE:
        return state, effects
    state, leave = _leave(state, at)
    return state, effects + leave


def commit_finished(state: ClassicState, _event: CommitFinished, at: ClassicContext) -> Outcome:
    """Continue closing, whether or not the commit succeeded."""
    return _revoke(state, at)


def _revoke(state: ClassicState, at: ClassicContext) -> Outcome:
    return call_on_revoked(state, state.held) if state.held else _leave(state, at)


def continue_leaving(state: ClassicState, _event: RevokeFinished | AssignFinished, at: ClassicContext) -> Outcome:
    """The callback returned or raised: revoke what is left, or leave."""
    return commit_or_revoke(state, at, _revoke)


def loss_reported(state: ClassicState, _event: LossFinished, at: ClassicContext) -> Outcome:
    """The application was notified that its partitions are lost; no partitions are left to give up."""
    return _leave(state, at)


def _leave(state: ClassicState, at: ClassicContext) -> Outcome:
    """Send the LeaveGroup if the member has joined and should announce that it is leaving."""
    leaving = state.leaving
    assert leaving is not None, "the member is about to leave"
    had_any = bool(state.owned) or state.phase is not Phase.IDLE
    emptied: tuple[ClassicEffect, ...] = (ASSIGN_NOTHING,) if had_any else ()
    state, published = losing.count_out(evolve(state, phase=Phase.IDLE, owned=NOTHING, waits_for=None), forget_id=False)
    if not (state.member_id and _sends_leave(leaving.mode, at.settings)):
        state, effects = _out(evolve(state, member_id=""), at)
        return state, emptied + published + effects
    state, effects = requests.send_leave(state, at, REASONS[leaving.why])
    deadlines = {Timer.LEAVE: at.now + at.settings.leave_timeout_s}
    return evolve(state, status=Status.LEAVING, deadlines=deadlines), emptied + published + effects


def _sends_leave(mode: LeaveMode, settings: ClassicSettings) -> bool:
    return mode is LeaveMode.LEAVE or (mode is LeaveMode.DEFAULT and settings.instance_id is None)


def left(state: ClassicState, _event: LeaveEnded, at: ClassicContext) -> Outcome:
    """The LeaveGroup was answered, with or without an error."""
    return _out(state, at)


def leave_timed_out(state: ClassicState, _event: TimePassed, at: ClassicContext) -> Outcome:
    """Stop waiting for a response after the leave's timeout."""
    return _out(state, at) if is_due(state.deadlines, Timer.LEAVE, at.now) else (state, ())


def time_passed(state: ClassicState, _event: TimePassed, at: ClassicContext) -> Outcome:
    """Leave if the application did not poll in time: lose everything, and be STALE until it polls again.

    Only a dynamic member sends a leave. The partitions of a static one stay reserved, as if it had crashed, and there
    is no response to wait for. Any other work that is due is done after each rule.
    """
    if not is_due(state.deadlines, Timer.POLL, at.now):
        return state, ()
    return _leave_at_once(state, at, Leaving(LeaveReason.EXPIRED))


def expire_while_leaving(state: ClassicState, _event: TimePassed, at: ClassicContext) -> Outcome:
    """Leave without the last callbacks if they take too long, so that others get the partitions."""
    if not is_due(state.deadlines, Timer.POLL, at.now):
        return state, ()
    assert state.leaving is not None, "the member is about to leave"
    return _leave_at_once(state, at, state.leaving)


def _leave_at_once(state: ClassicState, at: ClassicContext, leaving: Leaving) -> Outcome:
    member_id = state.member_id
    state, lost = losing.abandon(state, forget_id=True)
    state = evolve(state, status=Status.STALE, deadlines={})
    if not (member_id and _sends_leave(leaving.mode, at.settings)):
        return state, lost
    state, leave = requests.send_leave(evolve(state, member_id=member_id), at, REASONS[leaving.why])
    return evolve(state, request=None), lost + leave


def rejoin_on_poll(state: ClassicState, _event: Polled, at: ClassicContext) -> Outcome:
    """The application polled again: join once it knows that its partitions are lost."""
    return (joining.enter(state, at), ()) if state.phase is Phase.IDLE else (state, ())


def callback_finished_when_out(state: ClassicState, event: AnyCallbackFinished, at: ClassicContext) -> Outcome:
    """The application knows that its partitions are lost: end if it has closed or unsubscribed in the meantime."""
    state, emptied = callback_finished(state, event, at)
    if state.leaving is None:
        return state, emptied
    state, effects = _out(state, at)
    return state, (*emptied, *effects)


def leave_outside_group(state: ClassicState, event: Closed | Unsubscribed, at: ClassicContext) -> Outcome:
    """There is no group to leave, but the application must first be informed about any loss."""
    state = with_leave_decision(state, event)
    return _out(state, at) if state.phase is Phase.IDLE else (state, ())


def _out(state: ClassicState, at: ClassicContext) -> Outcome:
    """The member has left: end, or join for a new subscription."""
    leaving = state.leaving
    assert leaving is not None, "the member was leaving"
    state = evolve(state, request=None, deadlines={})
    if state.status is Status.FATAL:
        return evolve(state, leaving=None), (Left(),)
    if leaving.why is LeaveReason.UNSUBSCRIBED and state.subscription is not None:
        return joining.enter(state, at), (Left(),)
    return evolve(state, status=Status.UNSUBSCRIBED, leaving=None), (Left(),)
