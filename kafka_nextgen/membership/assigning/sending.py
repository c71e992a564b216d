"""Send requests when a step begins or a pause ends, with the epoch of the last heartbeat response."""

from __future__ import annotations

from math import inf

from attrs import evolve

from kafka_nextgen.membership.assigning.effects import SendInstall, SendPrepare
from kafka_nextgen.membership.assigning.settings import Moment
from kafka_nextgen.membership.assigning.state import AssigningState, Outcome
from kafka_nextgen.membership.assigning.states import AssigningPhase
from kafka_nextgen.membership.numbering import numbered

__all__ = ["deadline", "send_if_ready"]


def send_if_ready(state: AssigningState, at: Moment) -> Outcome:
    """Send the request of the phase, if there is one that is not in flight and whose pause is over."""
    if not _has_to_send(state) or at.now < state.not_before:
        return state, ()
    state, number = numbered(state)
    state = evolve(state, request=number, sent_epoch=state.member_epoch)
    deadline_s = min(state.until, at.now + at.settings.request_timeout_s)
    if state.phase is AssigningPhase.PREPARING:
        return state, (SendPrepare(number, state.member_id, state.member_epoch, deadline_s),)
    return state, (_install(state, number, deadline_s),)


def _install(state: AssigningState, number: int, deadline_s: float) -> SendInstall:
    assert state.result is not None, "there is something to install"
    assignment = state.result.assignment
    return SendInstall(
        number,
        state.member_id,
        state.member_epoch,
        state.group_epoch,
        deadline_s,
        assignment.error,
        assignment.members,
        state.result.failure,
    )


def _has_to_send(state: AssigningState) -> bool:
    sends = state.phase in (AssigningPhase.PREPARING, AssigningPhase.INSTALLING)
    return sends and state.request is None and not state.awaits_heartbeat


def deadline(state: AssigningState) -> float | None:
    """The time of the next attempt or of the timeout, whichever is first; None for never."""
    at = min(state.until, state.not_before if _has_to_send(state) else inf)
    return None if at == inf else at
