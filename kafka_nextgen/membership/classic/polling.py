"""Polling: a member whose application stopped reading must not keep its partitions (``max.poll.interval.ms``).

Each poll gives the application another ``max_poll_interval_s``. When that is over the member leaves of itself.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.membership.classic import joining, leaving, rebalancing
from kafka_nextgen.membership.classic.settings import Moment
from kafka_nextgen.membership.classic.state import ClassicState, Outcome
from kafka_nextgen.membership.classic.timers import Timer
from kafka_nextgen.membership.events import Polled, TimePassed
from kafka_nextgen.membership.states import Phase
from kafka_nextgen.membership.timers import armed, is_due

__all__ = ["polled", "polled_when_stable", "time_passed"]


def polled(state: ClassicState, _event: Polled, at: Moment) -> Outcome:
    """The application reads: it has all the time until the next poll again."""
    limit = at.now + at.settings.max_poll_interval_s
    return evolve(state, deadlines=armed(state.deadlines, Timer.POLL, limit)), ()


def polled_when_stable(state: ClassicState, event: Polled, at: Moment) -> Outcome:
    """The application polls: what waited for that begins."""
    state, _ = polled(state, event, at)
    if state.phase is Phase.FAILED:
        return _polled_after_failure(state, at)
    if state.phase is not Phase.WAITING_FOR_POLL:
        return state, ()
    state = evolve(state, phase=Phase.IDLE)
    if state.assigned is not None:
        return rebalancing.begin(state, at, polling=True)
    return joining.join_if_due(state, at, polling=True)


def _polled_after_failure(state: ClassicState, at: Moment) -> Outcome:
    state, called = rebalancing.assign_again(state)
    state, effects = joining.join_if_due(state, at, polling=True)
    return state, called + effects


def time_passed(state: ClassicState, _event: TimePassed, at: Moment) -> Outcome:
    """Leave if the application did not poll in time. Everything else that is due is done after every rule."""
    return leaving.expire(state, at) if is_due(state.deadlines, Timer.POLL, at.now) else (state, ())
