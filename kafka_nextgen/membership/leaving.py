"""Leaving: because the application closes, unsubscribes, or stopped polling.

Closing and unsubscribing are orderly: stop fetching, commit (only on close, with auto-commit, because an application
that unsubscribes may want to read the same records again), call ``on_partitions_revoked``, then send the leave. Until
then the member keeps its session, but no longer than the poll interval. After that it leaves, and only the
application's call waits for the running callback. A member whose application stopped polling loses its partitions,
leaves at once, and joins again at the next poll.

The leave is a heartbeat with epoch -1, or -2 from a static member that will be back within its session
(KIP-848, "Static Membership"; KIP-1092 lets the application choose). It goes out beside requests in flight and is
never repeated: answered, refused or lost, the member is out, and its session would end anyway.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.membership import joining
from kafka_nextgen.membership.any_member import Leaving, Why, commit_or_revoke, decided
from kafka_nextgen.membership.effects import CallOnRevoked, Effect, Left, SendHeartbeat
from kafka_nextgen.membership.events import (
    AssignFinished,
    Closed,
    CommitFinished,
    HeartbeatAnswered,
    HeartbeatLost,
    HeartbeatRefused,
    LossFinished,
    Polled,
    RevokeFinished,
    TimePassed,
    Unsubscribed,
)
from kafka_nextgen.membership.losing import ASSIGN_NOTHING, abandon_all, count_out, stop_all
from kafka_nextgen.membership.numbering import numbered
from kafka_nextgen.membership.settings import MemberSettings, Moment
from kafka_nextgen.membership.state import NOT_A_MEMBER, NOTHING, MemberState, Outcome, by_name
from kafka_nextgen.membership.states import CALLBACK_RUNS, Phase, Status
from kafka_nextgen.membership.timers import Timer, armed, disarmed, is_due
from kafka_nextgen.types import LeaveMode

__all__ = [
    "callback_finished",
    "commit_finished",
    "expire",
    "expire_while_leaving",
    "give_up",
    "heard_while_leaving",
    "left",
    "out",
    "out_already",
    "return_if_heard",
    "time_passed",
]

AnyCallbackFinished = RevokeFinished | AssignFinished | LossFinished

LEAVE_EPOCH = -1
LEAVE_FOR_A_WHILE_EPOCH = -2


def give_up(state: MemberState, event: Closed | Unsubscribed, at: Moment) -> Outcome:
    """The application closes or unsubscribes: stop fetching, then commit, revoke and leave.

    A callback that is running for a reconciliation finishes first. Like a poll, the call shows that the application
    is alive: its last callbacks have a whole poll interval.
    """
    stop = stop_all(state)
    callback_runs = state.phase in CALLBACK_RUNS
    state = evolve(
        decided(state, event),
        status=Status.PREPARE_LEAVING,
        phase=state.phase if callback_runs else Phase.IDLE,
        waits_for=state.waits_for if callback_runs else None,
        target=None,
        goal=None,
        deadlines=armed(disarmed(state.deadlines, Timer.RESOLVE), Timer.POLL, at.now + at.settings.max_poll_interval_s),
    )
    if callback_runs:
        return state, stop
    state, effects = commit_or_revoke(state, at, _revoke)
    return state, stop + effects


def commit_finished(state: MemberState, _event: CommitFinished, at: Moment) -> Outcome:
    """Go on closing, whether or not the commit succeeded."""
    return _revoke(state, at)


def _revoke(state: MemberState, at: Moment) -> Outcome:
    if not state.held:
        return _leave(state, at)
    state, number = numbered(state)
    revoked = tuple(sorted(by_name(state, state.held)))
    state = evolve(state, phase=Phase.REVOKING, waits_for=number, held=NOTHING)
    return state, (CallOnRevoked(number, revoked),)


def callback_finished(state: MemberState, _event: RevokeFinished | AssignFinished, at: Moment) -> Outcome:
    """The callback returned or raised: revoke what is left, or leave."""
    return commit_or_revoke(state, at, _revoke)


def _leave(state: MemberState, at: Moment) -> Outcome:
    """Send the leave, if there is a group to leave and the application does not want to remain."""
    had_any = bool(state.owned) or state.phase in CALLBACK_RUNS
    emptied: tuple[Effect, ...] = (ASSIGN_NOTHING,) if had_any else ()
    was_in_group = state.member_epoch != NOT_A_MEMBER
    state, published = count_out(evolve(state, phase=Phase.IDLE, owned=NOTHING, waits_for=None))
    state, effects = _say_so(state, at) if was_in_group else out(state, at)
    return state, emptied + published + effects


def _say_so(state: MemberState, at: Moment) -> Outcome:
    epoch = _leave_epoch(state, at.settings)
    return out(state, at) if epoch is None else _send_leave(state, epoch, at)


def _leave_epoch(state: MemberState, settings: MemberSettings) -> int | None:
    """Which epoch says how the member leaves (KIP-1092); None to say nothing."""
    assert state.leaving is not None, "the member is to leave"
    static = settings.instance_id is not None
    if state.leaving.mode is LeaveMode.LEAVE:
        return LEAVE_EPOCH
    if state.leaving.mode is LeaveMode.REMAIN and not static:
        return None
    return LEAVE_FOR_A_WHILE_EPOCH if static else LEAVE_EPOCH


def _send_leave(state: MemberState, epoch: int, at: Moment) -> Outcome:
    state, number = numbered(state)
    state = evolve(
        state,
        status=Status.LEAVING,
        in_flight=number,
        deadlines={Timer.LEAVE: at.now + at.settings.leave_timeout_s},
    )
    return state, (SendHeartbeat(number, state.member_id, epoch, at.settings.instance_id),)


def expire(state: MemberState, at: Moment) -> Outcome:
    """The application stopped polling: lose everything, leave at once, and be STALE until it polls again."""
    return _leave_at_once(evolve(state, leaving=Leaving(Why.EXPIRED)), at)


def expire_while_leaving(state: MemberState, _event: TimePassed, at: Moment) -> Outcome:
    """Leave without the last callbacks if they take too long, so that others get the partitions."""
    return _leave_at_once(state, at) if is_due(state.deadlines, Timer.POLL, at.now) else (state, ())


def _leave_at_once(state: MemberState, at: Moment) -> Outcome:
    state, lost = abandon_all(state)
    state, leave = _say_so(state, at)
    return state, lost + leave


def left(state: MemberState, _event: HeartbeatAnswered | HeartbeatRefused | HeartbeatLost, at: Moment) -> Outcome:
    """The leave was answered, refused, or lost. UNKNOWN_MEMBER_ID is success too: the member is gone."""
    return out(state, at)


def time_passed(state: MemberState, _event: TimePassed, at: Moment) -> Outcome:
    """Leave without a response once its timeout is over."""
    return out(state, at) if is_due(state.deadlines, Timer.LEAVE, at.now) else (state, ())


def heard_while_leaving(state: MemberState, _event: AnyCallbackFinished, _at: Moment) -> Outcome:
    """The application heard of its loss before the leave was answered."""
    return evolve(state, phase=Phase.IDLE, waits_for=None), (ASSIGN_NOTHING,)


def out_already(state: MemberState, event: Closed | Unsubscribed, at: Moment) -> Outcome:
    """There is no group to leave, but a loss must reach the application first."""
    state = decided(state, event)
    return out(state, at) if state.phase is Phase.IDLE else (state, ())


def return_if_heard(state: MemberState, _event: Polled, at: Moment) -> Outcome:
    """The application polls again: join, as soon as it has heard that its partitions are lost."""
    if state.phase is not Phase.IDLE:
        return state, ()
    return joining.join(evolve(state, failures=0), at), ()


def out(state: MemberState, at: Moment) -> Outcome:
    """The member is out: end here, or wait for the application, or join for a subscription made meanwhile."""
    assert state.leaving is not None, "the member was to leave"
    why = state.leaving.why
    state = evolve(state, in_flight=None, deadlines={})
    if why is Why.EXPIRED:
        return evolve(state, status=Status.STALE, leaving=None), ()
    if state.phase is not Phase.IDLE:
        return evolve(state, status=Status.STALE), ()
    if state.status is Status.FATAL:
        return evolve(state, leaving=None), (Left(),)
    if why is Why.UNSUBSCRIBED and state.subscription is not None:
        return joining.join(evolve(state, failures=0), at), (Left(),)
    return evolve(state, status=Status.UNSUBSCRIBED, leaving=None), (Left(),)
