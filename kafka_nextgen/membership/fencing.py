"""Fencing: the coordinator does not count the member as one of the group any more (KIP-848, "Fencing", "Fenced").

The member loses all its partitions and joins again, with the same member id and epoch 0, but not before the
application has heard of it: it must not be given a partition again that it has not yet put down.

A fatal error is the same with no way back: nothing is sent any more.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.membership import joining, leaving
from kafka_nextgen.membership.effects import RaiseToApplication
from kafka_nextgen.membership.events import AssignFinished, LossFinished, RevokeFinished
from kafka_nextgen.membership.losing import ASSIGN_NOTHING, abandon_all
from kafka_nextgen.membership.settings import Moment
from kafka_nextgen.membership.state import MemberState, Outcome
from kafka_nextgen.membership.states import Phase, Status

__all__ = ["be_fenced", "callback_finished", "fail_for_good"]


def be_fenced(state: MemberState, at: Moment) -> Outcome:
    """Abandon everything and join again, at once if there is nothing to tell the application."""
    state, effects = abandon_all(state)
    if state.phase is Phase.IDLE:
        return joining.join(state, at), effects
    return evolve(state, status=Status.FENCED), effects


def fail_for_good(state: MemberState, error: RaiseToApplication) -> Outcome:
    """Abandon everything, and tell the application why there is no way back."""
    state, effects = abandon_all(state)
    return evolve(state, status=Status.FATAL), (error, *effects)


def callback_finished(
    state: MemberState, _event: RevokeFinished | AssignFinished | LossFinished, at: Moment
) -> Outcome:
    """The application knows, even if its callback raised: leave if that was decided meanwhile, else join again.

    Only a FENCED member joins of itself. A STALE one waits for a poll, and a FATAL one for its end.
    """
    state = evolve(state, phase=Phase.IDLE, waits_for=None)
    if state.leaving is not None:
        state, effects = leaving.out(state, at)
        return state, (ASSIGN_NOTHING, *effects)
    if state.status is Status.FENCED:
        state = joining.join(state, at)
    return state, (ASSIGN_NOTHING,)
