"""Heartbeats: they keep the session, and bring the news that the group rebalances.

One is in flight at a time, while COMPLETING, STABLE and about to leave. A lost one is repeated after a backoff.
When none has succeeded for the session timeout, the member looks for another coordinator and does nothing else:
only the coordinator can tell whether the session is over.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.membership.classic import requests
from kafka_nextgen.membership.classic.events import SessionKept
from kafka_nextgen.membership.classic.settings import ClassicContext
from kafka_nextgen.membership.classic.state import ClassicState, Outcome
from kafka_nextgen.membership.classic.states import Status
from kafka_nextgen.membership.effects import FindCoordinator
from kafka_nextgen.membership.events import HeartbeatLost
from kafka_nextgen.membership.state_machine import retry_at
from kafka_nextgen.membership.timers import Timer, armed, disarmed, is_due

__all__ = [
    "HEARTBEATING",
    "answered",
    "begin",
    "end",
    "failed",
    "kept",
    "look_elsewhere_if_silent",
    "lost",
    "send_if_due",
]

HEARTBEATING = (Status.COMPLETING, Status.STABLE, Status.PREPARE_LEAVING)


def begin(state: ClassicState, at: ClassicContext) -> ClassicState:
    """The coordinator counts the member in from now on."""
    return _session_from_now(evolve(state, in_flight=None), at)


def end(state: ClassicState) -> ClassicState:
    """No heartbeat is sent any more, and no answer is waited for."""
    return evolve(state, in_flight=None, deadlines=disarmed(state.deadlines, Timer.HEARTBEAT, Timer.SESSION))


def send_if_due(state: ClassicState, at: ClassicContext) -> Outcome:
    """Send a heartbeat if it is time for one."""
    if state.status not in HEARTBEATING or state.in_flight is not None:
        return state, ()
    if not is_due(state.deadlines, Timer.HEARTBEAT, at.now):
        return state, ()
    return requests.send_heartbeat(state, at)


def _session_from_now(state: ClassicState, at: ClassicContext) -> ClassicState:
    settings = at.settings
    deadlines = armed(state.deadlines, Timer.HEARTBEAT, at.now + settings.heartbeat_interval_ms / 1000)
    return evolve(state, deadlines=armed(deadlines, Timer.SESSION, at.now + settings.session_timeout_ms / 1000))


def answered(state: ClassicState, at: ClassicContext) -> ClassicState:
    """The session goes on. Failures are forgotten only once the member is STABLE."""
    failures = 0 if state.status is Status.STABLE else state.failures
    state = _session_from_now(evolve(state, in_flight=None, failures=failures), at)
    when = state.sent_at + at.settings.heartbeat_interval_ms / 1000  # an answer that takes long delays no other
    return evolve(state, deadlines=armed(state.deadlines, Timer.HEARTBEAT, when))


def kept(state: ClassicState, _event: SessionKept, at: ClassicContext) -> Outcome:
    """An answer without an error."""
    return answered(state, at), ()


def lost(state: ClassicState, _event: HeartbeatLost, at: ClassicContext) -> Outcome:
    """No answer: look for the coordinator again, and repeat it after a while."""
    return failed(state, at), (FindCoordinator(),)


def failed(state: ClassicState, at: ClassicContext, *, first_at_once: bool = False) -> ClassicState:
    """Time the next heartbeat after one that failed."""
    failures = state.failures + 1
    when = retry_at(failures, at, first_at_once=first_at_once)
    return evolve(state, in_flight=None, failures=failures, deadlines=armed(state.deadlines, Timer.HEARTBEAT, when))


def look_elsewhere_if_silent(state: ClassicState, at: ClassicContext) -> Outcome:
    """Give the heartbeat in flight up when the coordinator was silent for a whole session."""
    if not is_due(state.deadlines, Timer.SESSION, at.now):
        return state, ()
    state = _session_from_now(evolve(state, in_flight=None), at)
    return evolve(state, deadlines=armed(state.deadlines, Timer.HEARTBEAT, at.now)), (FindCoordinator(),)
