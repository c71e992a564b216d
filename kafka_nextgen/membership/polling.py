"""Polling: a member whose application stopped reading must not keep its partitions (``max.poll.interval.ms``).

Each poll gives the application another ``max_poll_interval_s``. After that the member leaves by itself: heartbeats
come from another thread than the application's and would keep a stuck application in the group for ever.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.membership import leaving, reconciliation, resolving
from kafka_nextgen.membership.events import Polled, TimePassed
from kafka_nextgen.membership.settings import Moment
from kafka_nextgen.membership.state import MemberState, Outcome
from kafka_nextgen.membership.states import Phase
from kafka_nextgen.membership.timers import Timer, armed, is_due

__all__ = ["polled", "polled_while_reconciling", "time_passed", "time_passed_while_reconciling"]


def polled(state: MemberState, _event: Polled, at: Moment) -> Outcome:
    """The application reads: it has all the time until the next poll again."""
    limit = at.now + at.settings.max_poll_interval_s
    return evolve(state, deadlines=armed(state.deadlines, Timer.POLL, limit)), ()


def time_passed(state: MemberState, _event: TimePassed, at: Moment) -> Outcome:
    """Leave if the application did not poll in time. A heartbeat that is due goes out after every rule anyway."""
    if is_due(state.deadlines, Timer.POLL, at.now):
        return leaving.expire(state, at)
    return state, ()


def polled_while_reconciling(state: MemberState, event: Polled, at: Moment) -> Outcome:
    """The application polls: begin what waited for that."""
    state, _ = polled(state, event, at)
    if state.phase is Phase.FAILED:
        return reconciliation.assign_again(state, at)
    if state.phase is not Phase.WAITING_FOR_POLL:
        return state, ()
    return reconciliation.proceed(state, at, polling=True)


def time_passed_while_reconciling(state: MemberState, event: TimePassed, at: Moment) -> Outcome:
    """Leave if the application did not poll in time; else ask again for names, if that is due."""
    if is_due(state.deadlines, Timer.POLL, at.now) or not is_due(state.deadlines, Timer.RESOLVE, at.now):
        return time_passed(state, event, at)
    return resolving.ask_for_names(state, at)
