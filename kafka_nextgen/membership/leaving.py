"""Leaving the group because the application closes, unsubscribes, or has stopped polling.

Closing and unsubscribing are orderly: stop fetching, commit (only on close, with auto-commit, because an application
that unsubscribes may read the same records again), call ``on_partitions_revoked``, then send the leave. Until then the
member keeps its session alive, but no longer than the poll interval. After that it leaves, even if a callback is still
running; only the application's call waits for that callback. A member whose application stopped polling loses its
partitions, leaves immediately, and joins again at the next poll.

The leave is a heartbeat with epoch -1, or -2 from a static member that will be back within its session (KIP-848,
"Static Membership"; KIP-1092 lets the application choose). It does not wait for requests in flight and is never
repeated: whether it is answered, refused or lost, the member is out of the group, and its session would expire anyway.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.membership import joining, resolving
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
from kafka_nextgen.membership.effects import Effect, Left, SendHeartbeat
from kafka_nextgen.membership.events import (
    AnyCallbackFinished,
    AssignFinished,
    Closed,
    CommitFinished,
    HeartbeatAnswered,
    HeartbeatLost,
    HeartbeatRefused,
    Polled,
    RevokeFinished,
    TimePassed,
    Unsubscribed,
)
from kafka_nextgen.membership.losing import abandon_all, count_out
from kafka_nextgen.membership.settings import MemberContext, MemberSettings
from kafka_nextgen.membership.state import NOT_A_MEMBER, NOTHING, MemberState, Outcome
from kafka_nextgen.membership.state_machine import numbered
from kafka_nextgen.membership.states import CALLBACK_RUNS, Phase, Status
from kafka_nextgen.membership.timers import Timer, is_due
from kafka_nextgen.types import LeaveMode

__all__ = [
    "callback_finished_when_out",
    "commit_finished",
    "continue_leaving",
    "expire_while_leaving",
    "leave_outside_group",
    "leave_timed_out",
    "left",
    "prepare_leaving",
    "rejoin_on_poll",
    "time_passed",
    "time_passed_while_reconciling",
]

LEAVE_EPOCH = -1  # Kafka's LEAVE_GROUP_MEMBER_EPOCH
STATIC_LEAVE_EPOCH = -2  # Kafka's LEAVE_GROUP_STATIC_MEMBER_EPOCH


def prepare_leaving(state: MemberState, event: Closed | Unsubscribed, at: MemberContext) -> Outcome:
    """The application is closing or unsubscribing: stop fetching, then commit, revoke and leave."""
    state = evolve(state, status=Status.PREPARE_LEAVING, target=None, goal=None)
    return begin_leaving(state, event, at, _revoke)


def commit_finished(state: MemberState, _event: CommitFinished, at: MemberContext) -> Outcome:
    """Continue closing, whether or not the commit succeeded."""
    return _revoke(state, at)


def _revoke(state: MemberState, at: MemberContext) -> Outcome:
    return call_on_revoked(state, state.held) if state.held else _leave(state, at)


def continue_leaving(state: MemberState, _event: RevokeFinished | AssignFinished, at: MemberContext) -> Outcome:
    """The callback returned or raised: revoke what is left, or leave."""
    return commit_or_revoke(state, at, _revoke)


def _leave(state: MemberState, at: MemberContext) -> Outcome:
    """Send the leave, unless the member has no group, or the application chose to remain."""
    had_any = bool(state.owned) or state.phase in CALLBACK_RUNS
    emptied: tuple[Effect, ...] = (ASSIGN_NOTHING,) if had_any else ()
    was_in_group = state.member_epoch != NOT_A_MEMBER
    state, published = count_out(evolve(state, phase=Phase.IDLE, owned=NOTHING, waits_for=None))
    state, effects = _leave_group(state, at) if was_in_group else out(state, at)
    return state, emptied + published + effects


def _leave_group(state: MemberState, at: MemberContext) -> Outcome:
    epoch = _leave_epoch(state, at.settings)
    return out(state, at) if epoch is None else _send_leave(state, epoch, at)


def _leave_epoch(state: MemberState, settings: MemberSettings) -> int | None:
    """The epoch of the leave heartbeat (KIP-1092); None if it is not sent."""
    assert state.leaving is not None, "the member is about to leave"
    static = settings.instance_id is not None
    if state.leaving.mode is LeaveMode.LEAVE:
        return LEAVE_EPOCH
    if state.leaving.mode is LeaveMode.REMAIN and not static:
        return None
    return STATIC_LEAVE_EPOCH if static else LEAVE_EPOCH


def _send_leave(state: MemberState, epoch: int, at: MemberContext) -> Outcome:
    state, number = numbered(state)
    state = evolve(
        state,
        status=Status.LEAVING,
        in_flight=number,
        deadlines={Timer.LEAVE: at.now + at.settings.leave_timeout_s},
    )
    return state, (SendHeartbeat(number, state.member_id, epoch, at.settings.instance_id),)


def time_passed(state: MemberState, _event: TimePassed, at: MemberContext) -> Outcome:
    """Leave if the application did not poll in time: lose everything, and be STALE until it polls again.

    The I/O thread sends heartbeats, so a stuck application would otherwise stay in the group forever. Heartbeats need
    no handling here: they are sent after every rule, if due.
    """
    if not is_due(state.deadlines, Timer.POLL, at.now):
        return state, ()
    return _leave_at_once(evolve(state, leaving=Leaving(LeaveReason.EXPIRED)), at)


def time_passed_while_reconciling(state: MemberState, event: TimePassed, at: MemberContext) -> Outcome:
    """Leave if the application did not poll in time; otherwise repeat the topic lookup if it is due."""
    if is_due(state.deadlines, Timer.POLL, at.now) or not is_due(state.deadlines, Timer.RESOLVE, at.now):
        return time_passed(state, event, at)
    return resolving.ask_for_names(state, at)


def expire_while_leaving(state: MemberState, _event: TimePassed, at: MemberContext) -> Outcome:
    """Leave without the last callbacks if they take too long, so that others get the partitions."""
    return _leave_at_once(state, at) if is_due(state.deadlines, Timer.POLL, at.now) else (state, ())


def _leave_at_once(state: MemberState, at: MemberContext) -> Outcome:
    state, lost = abandon_all(state)
    state, leave = _leave_group(state, at)
    return state, lost + leave


def left(
    state: MemberState, _event: HeartbeatAnswered | HeartbeatRefused | HeartbeatLost, at: MemberContext
) -> Outcome:
    """The leave was answered, refused, or lost. UNKNOWN_MEMBER_ID is success too: the member is gone."""
    return out(state, at)


def leave_timed_out(state: MemberState, _event: TimePassed, at: MemberContext) -> Outcome:
    """Stop waiting for a response after the leave's timeout."""
    return out(state, at) if is_due(state.deadlines, Timer.LEAVE, at.now) else (state, ())


def callback_finished_when_out(state: MemberState, event: AnyCallbackFinished, at: MemberContext) -> Outcome:
    """The application knows that its partitions are lost: leave if it has closed or unsubscribed, otherwise join again.

    Only a FENCED member joins without an event. A STALE member waits for a poll, and a FATAL one does nothing until it
    is closed.
    """
    state, emptied = callback_finished(state, event, at)
    if state.leaving is not None:
        state, effects = out(state, at)
        return state, (*emptied, *effects)
    if state.status is Status.FENCED:
        state = joining.join(state, at)
    return state, emptied


def leave_outside_group(state: MemberState, event: Closed | Unsubscribed, at: MemberContext) -> Outcome:
    """There is no group to leave, but the application must first be informed about any loss."""
    state = with_leave_decision(state, event)
    return out(state, at) if state.phase is Phase.IDLE else (state, ())


def rejoin_on_poll(state: MemberState, _event: Polled, at: MemberContext) -> Outcome:
    """The application polled again: join once it knows that its partitions are lost."""
    return (joining.return_to_group(state, at), ()) if state.phase is Phase.IDLE else (state, ())


def out(state: MemberState, at: MemberContext) -> Outcome:
    """The member has left: end, wait for the application, or join for a new subscription."""
    assert state.leaving is not None, "the member was leaving"
    why = state.leaving.why
    state = evolve(state, in_flight=None, deadlines={})
    if why is LeaveReason.EXPIRED:
        return evolve(state, status=Status.STALE, leaving=None), ()
    if state.phase is not Phase.IDLE:
        return evolve(state, status=Status.STALE), ()
    if state.status is Status.FATAL:
        return evolve(state, leaving=None), (Left(),)
    if why is LeaveReason.UNSUBSCRIBED and state.subscription is not None:
        return joining.return_to_group(state, at), (Left(),)
    return evolve(state, status=Status.UNSUBSCRIBED, leaving=None), (Left(),)
