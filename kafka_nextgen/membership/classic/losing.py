"""Losing everything at once: the coordinator does not count the member as one of the group any more.

Nothing of the partitions is handed out or committed from here on, for others may own them already.
``on_partitions_lost`` tells the application. The member joins again, but not before the application has heard of
it: it must not be given a partition again that it has not yet put down.

*Reset* forgets generation and member id; an ILLEGAL_GENERATION costs the generation only.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.consumer_protocol import NO_GENERATION
from kafka_nextgen.membership import backoff
from kafka_nextgen.membership.classic import heartbeats
from kafka_nextgen.membership.classic.effects import ClassicEffect
from kafka_nextgen.membership.classic.settings import Moment
from kafka_nextgen.membership.classic.state import NOTHING, ClassicState, Outcome
from kafka_nextgen.membership.classic.states import Status
from kafka_nextgen.membership.classic.timers import Timer
from kafka_nextgen.membership.effects import (
    ApplyAssignment,
    CallOnLost,
    PublishEpoch,
    RaiseToApplication,
    StopFetching,
)
from kafka_nextgen.membership.events import AssignFinished, LossFinished, RevokeFinished
from kafka_nextgen.membership.numbering import numbered
from kafka_nextgen.membership.states import CALLBACK_RUNS, Phase
from kafka_nextgen.membership.timers import armed, disarmed

__all__ = [
    "ASSIGN_NOTHING",
    "abandon",
    "count_out",
    "fail_for_good",
    "heard_of_loss",
    "rejoin",
    "reset",
    "stop_all",
]

#: The application knows that all its partitions are gone.
ASSIGN_NOTHING = ApplyAssignment(frozenset(), (), frozenset())

#: A callback was called that has to return before the member may have partitions again.
_CALLED = CALLBACK_RUNS | {Phase.LOSING}


def stop_all(state: ClassicState) -> tuple[ClassicEffect, ...]:
    """Stop fetching everything that is fetched."""
    everything = state.owned | state.held
    return (StopFetching(everything),) if everything else ()


def count_out(state: ClassicState, *, forget_id: bool) -> Outcome:
    """The member is in no generation any more; commits say so, too."""
    was_in = state.published != NO_GENERATION
    state = heartbeats.end(
        evolve(
            state,
            member_id="" if forget_id else state.member_id,
            generation=NO_GENERATION,
            published=NO_GENERATION,
            roster=(),
            asked=None,
            computation=None,
            informed=None,
            request=None,
            deadlines=disarmed(state.deadlines, Timer.JOIN, Timer.TOPICS, Timer.WATCH, Timer.COMPUTE),
        )
    )
    return state, (PublishEpoch(state.member_id, NO_GENERATION),) if was_in else ()


def abandon(state: ClassicState, *, forget_id: bool) -> Outcome:
    """Own nothing, and tell the application what it lost.

    The generation ends before its partitions do. So a commit that was asked for in it is refused for lack of a
    membership, and is not sent once more as the commit of a member that gives partitions up.

    The phase is IDLE afterwards if there is nothing to tell and no callback to wait for. Callbacks run in the
    order of their effects, so that a loss is heard of only after one that runs already.
    """
    stop = stop_all(state)
    lost = tuple(sorted(state.held))
    state, published = count_out(
        evolve(state, owned=NOTHING, held=NOTHING, giving_up=NOTHING, assigned=None, must_rejoin=False),
        forget_id=forget_id,
    )
    ended = (*published, *stop)
    if lost:
        state, number = numbered(state)
        state = evolve(state, phase=Phase.LOSING, waits_for=number)
        return state, (*ended, CallOnLost(number, lost))
    if state.phase in _CALLED:
        return state, ended
    emptied = (ASSIGN_NOTHING,) if stop else ()
    return evolve(state, phase=Phase.IDLE, waits_for=None), (*ended, *emptied)


def reset(state: ClassicState, at: Moment, *, forget_id: bool, reason: str) -> Outcome:
    """Abandon everything and join again, at once if there is nothing to tell the application."""
    state, effects = abandon(state, forget_id=forget_id)
    state = evolve(state, status=Status.UNJOINED, failures=state.failures + 1, reason=reason)
    if state.phase is Phase.IDLE:
        state = rejoin(state, at)
    return state, effects


def rejoin(state: ClassicState, at: Moment, *, first_at_once: bool = True) -> ClassicState:
    """Let the next JoinGroup go out; how soon depends on the failures so far."""
    when = backoff.after(state.failures, at, first_at_once=first_at_once)
    state = heartbeats.end(state)
    deadlines = disarmed(state.deadlines, Timer.TOPICS, Timer.WATCH, Timer.COMPUTE)
    return evolve(
        state,
        status=Status.UNJOINED,
        phase=Phase.IDLE,
        waits_for=None,
        request=None,
        asked=None,
        computation=None,
        deadlines=armed(deadlines, Timer.JOIN, when),
    )


def heard_of_loss(state: ClassicState, _event: LossFinished | RevokeFinished | AssignFinished, at: Moment) -> Outcome:
    """The application knows, even if its callback raised: the member can join again."""
    return rejoin(state, at), (ASSIGN_NOTHING,)


def fail_for_good(state: ClassicState, error: RaiseToApplication) -> Outcome:
    """Abandon everything, and tell the application why there is no way back."""
    state, effects = abandon(state, forget_id=True)
    return evolve(state, status=Status.FATAL, deadlines={}), (error, *effects)
