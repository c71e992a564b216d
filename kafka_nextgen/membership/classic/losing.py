"""Lose all partitions immediately, because the coordinator has removed the member from the group.

See ``kafka_nextgen.membership.losing``: the rules are the same. A *reset* forgets the generation and the member id.
After ILLEGAL_GENERATION only the generation is forgotten.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.groups.consumer_protocol import NO_GENERATION
from kafka_nextgen.membership.any_member import ASSIGN_NOTHING, report_loss, stop_fetching
from kafka_nextgen.membership.classic import heartbeats
from kafka_nextgen.membership.classic.settings import ClassicContext
from kafka_nextgen.membership.classic.state import NOTHING, ClassicState, Outcome
from kafka_nextgen.membership.classic.states import Status
from kafka_nextgen.membership.effects import PublishEpoch, RaiseToApplication
from kafka_nextgen.membership.events import AnyCallbackFinished
from kafka_nextgen.membership.state_machine import retry_at
from kafka_nextgen.membership.states import Phase
from kafka_nextgen.membership.timers import Timer, armed, disarmed

__all__ = ["abandon", "count_out", "fail_for_good", "loss_reported", "rejoin", "reset"]


def count_out(state: ClassicState, *, forget_id: bool) -> Outcome:
    """End the generation, including for commits.

    A static leader that returns can get the same generation again, so it must not mistake its former assignment for a
    new one.
    """
    was_in = state.published != NO_GENERATION
    state = heartbeats.end(
        evolve(
            state,
            member_id="" if forget_id else state.member_id,
            generation=NO_GENERATION,
            published=NO_GENERATION,
            roster=(),
            watched=None,
            watched_in=NO_GENERATION,
            asked=None,
            computation=None,
            informed=None,
            request=None,
            deadlines=disarmed(state.deadlines, Timer.JOIN, Timer.TOPICS, Timer.WATCH, Timer.COMPUTE),
        )
    )
    return state, (PublishEpoch(state.member_id, NO_GENERATION),) if was_in else ()


def abandon(state: ClassicState, *, forget_id: bool) -> Outcome:
    """Drop all partitions and report the loss. The generation is ended before its partitions are given up.

    So a commit from that generation fails because its membership has ended. It is not sent again as a commit for
    partitions that are being given up.
    """
    stop, lost = stop_fetching(state, state.owned | state.held), state.held
    state = evolve(state, owned=NOTHING, held=NOTHING, giving_up=NOTHING, assigned=None, must_rejoin=False)
    state, published = count_out(state, forget_id=forget_id)
    return report_loss(state, lost, (*published, *stop), had_any=bool(stop))


def reset(state: ClassicState, at: ClassicContext, *, forget_id: bool, reason: str) -> Outcome:
    """Abandon everything and join again, immediately if nothing was lost."""
    state, effects = abandon(state, forget_id=forget_id)
    state = evolve(state, status=Status.UNJOINED, failures=state.failures + 1, reason=reason)
    if state.phase is Phase.IDLE:
        state = rejoin(state, at)
    return state, effects


def rejoin(state: ClassicState, at: ClassicContext, *, first_at_once: bool = True) -> ClassicState:
    """Schedule the next JoinGroup; the delay depends on the number of failures."""
    when = retry_at(state.failures, at, first_at_once=first_at_once)
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


def loss_reported(state: ClassicState, _event: AnyCallbackFinished, at: ClassicContext) -> Outcome:
    """The application has been informed, even if its callback raised: the member can join again."""
    return rejoin(state, at), (ASSIGN_NOTHING,)


def fail_for_good(state: ClassicState, error: RaiseToApplication) -> Outcome:
    """Abandon everything and raise the fatal error from ``poll``."""
    state, effects = abandon(state, forget_id=True)
    return evolve(state, status=Status.FATAL, deadlines={}), (error, *effects)
