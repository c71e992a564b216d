"""Everything the assigning machine knows. A rule gets one of these and returns another."""

from __future__ import annotations

from math import inf

from attrs import evolve, frozen

from kafka_nextgen.assignors.spec import GroupAssignment
from kafka_nextgen.membership.assigning.effects import AssigningEffect
from kafka_nextgen.membership.assigning.states import AssigningPhase
from kafka_nextgen.membership.numbering import Numbering
from kafka_nextgen.membership.state import NOT_A_MEMBER

__all__ = ["AssigningState", "Outcome", "Result", "at_rest", "in_phase"]


@frozen
class Result:
    """What is to be installed, or reported: with ``failure`` there is no assignment."""

    assignment: GroupAssignment
    failure: str | None = None


@frozen
class AssigningState(Numbering):
    """A member's own assignors at one moment."""

    member_id: str = ""
    member_epoch: int = NOT_A_MEMBER  # of the last heartbeat that was answered
    phase: AssigningPhase = AssigningPhase.IDLE
    until: float = inf  # when somebody else will have been told to compute
    told_again: bool = False  # to compute, since it prepared
    computing: int | None = None  # the computation that the assignor is at, perhaps for nothing
    assignor: str = ""  # that the coordinator chose
    group_epoch: int = NOT_A_MEMBER  # that the assignment is for
    result: Result | None = None

    request: int | None = None  # the number of the request under way
    sent_epoch: int = NOT_A_MEMBER  # the member epoch in it
    failures: int = 0  # requests that failed in a row
    not_before: float = -inf  # when the request may go out
    awaits_heartbeat: bool = False  # the epoch was stale: the next answer has another

    informed_epoch: int = NOT_A_MEMBER  # the last one that on_assignment was called for
    failure: str | None = None  # why the group has not got a new target, as far as is known here
    is_reported: bool = False  # that was this member's own failure, and the application knows of it


#: What a rule returns: the state after it, and what is to be done, in this order.
Outcome = tuple[AssigningState, tuple[AssigningEffect, ...]]


def in_phase(state: AssigningState, phase: AssigningPhase, now: float) -> AssigningState:
    """The same, at the beginning of a step."""
    return evolve(state, phase=phase, request=None, failures=0, not_before=now, awaits_heartbeat=False)


def at_rest(state: AssigningState) -> AssigningState:
    """The same, with nothing to compute any more; the assignor may be busy none the less."""
    return evolve(
        in_phase(state, AssigningPhase.IDLE, -inf),
        until=inf,
        told_again=False,
        assignor="",
        group_epoch=NOT_A_MEMBER,
        result=None,
    )
