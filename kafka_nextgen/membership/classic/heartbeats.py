"""Heartbeats: they keep the session alive, and their responses say when the group is rebalancing.

One is in flight at a time, while the member is COMPLETING, STABLE or about to leave. A lost one is repeated after a
backoff. If none has succeeded for the session timeout, the member only looks up the coordinator again: only the
coordinator knows whether the session has expired.
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
    """Start heartbeats: the member is in the group."""
    return _session_from_now(evolve(state, in_flight=None), at)


def end(state: ClassicState) -> ClassicState:
    """Stop heartbeats, and ignore the answer to the heartbeat in flight."""
    return evolve(state, in_flight=None, deadlines=disarmed(state.deadlines, Timer.HEARTBEAT, Timer.SESSION))


def send_if_due(state: ClassicState, at: ClassicContext) -> Outcome:
    """Send a heartbeat if one is due."""
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
    """The session continues. Failures are forgotten only once the member is STABLE."""
    failures = 0 if state.status is Status.STABLE else state.failures
    state = _session_from_now(evolve(state, in_flight=None, failures=failures), at)
    when = state.sent_at + at.settings.heartbeat_interval_ms / 1000  # a slow answer does not delay the next one
    return evolve(state, deadlines=armed(state.deadlines, Timer.HEARTBEAT, when))


def kept(state: ClassicState, _event: SessionKept, at: ClassicContext) -> Outcome:
    """A response without an error."""
    return answered(state, at), ()


def lost(state: ClassicState, _event: HeartbeatLost, at: ClassicContext) -> Outcome:
    """No response: look up the coordinator, and repeat the heartbeat after a backoff."""
    return failed(state, at), (FindCoordinator(),)


def failed(state: ClassicState, at: ClassicContext, *, first_at_once: bool = False) -> ClassicState:
    """Schedule the next heartbeat after a failed one."""
    failures = state.failures + 1
    when = retry_at(failures, at, first_at_once=first_at_once)
    return evolve(state, in_flight=None, failures=failures, deadlines=armed(state.deadlines, Timer.HEARTBEAT, when))


def look_elsewhere_if_silent(state: ClassicState, at: ClassicContext) -> Outcome:
    """Give up the heartbeat in flight if the coordinator has not answered for a session timeout."""
    if not is_due(state.deadlines, Timer.SESSION, at.now):
        return state, ()
    state = _session_from_now(evolve(state, in_flight=None), at)
    return evolve(state, deadlines=armed(state.deadlines, Timer.HEARTBEAT, at.now)), (FindCoordinator(),)
