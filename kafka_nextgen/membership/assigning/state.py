"""The state of the assigning machine. A rule takes one and returns another."""

from __future__ import annotations

from enum import Enum
from math import inf

from attrs import evolve

from kafka_nextgen.assignors.spec import GroupAssignment
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.membership.assigning.effects import AssigningEffect
from kafka_nextgen.membership.state import NOT_A_MEMBER
from kafka_nextgen.membership.state_machine import Numbering

__all__ = ["AssigningPhase", "AssigningState", "Outcome", "Result", "at_rest", "in_phase"]


class AssigningPhase(Enum):
    """The step that the member is waiting for."""

    IDLE = "idle"  # nothing to compute
    BLOCKED = "blocked"  # asked to compute while the assignor is busy with an earlier computation
    PREPARING = "preparing"  # requests the state of the group from the coordinator
    COMPUTING = "computing"  # the assignor is running
    INSTALLING = "installing"  # sends the result to the coordinator


@frozen
class Result:
    """The assignment to install, or the ``failure`` to report."""

    assignment: GroupAssignment
    failure: str | None = None


@frozen
class AssigningState(Numbering):
    """The state of the client-side assignors of one member."""

    member_id: str = ""
    member_epoch: int = NOT_A_MEMBER  # of the last heartbeat response
    phase: AssigningPhase = AssigningPhase.IDLE
    until: float = inf  # when the coordinator chooses another member
    told_again: bool = False  # whether another computation was requested after its preparation
    computing: int | None = None  # the running computation, even if the member gave up on it
    assignor: str = ""  # chosen by the coordinator
    group_epoch: int = NOT_A_MEMBER  # of the assignment
    result: Result | None = None

    request: int | None = None  # the number of the request in flight
    sent_epoch: int = NOT_A_MEMBER  # the member epoch in it
    failures: int = 0  # consecutive failed requests
    not_before: float = -inf  # when the request may be sent
    awaits_heartbeat: bool = False  # the epoch was stale: wait for the next heartbeat response

    informed_epoch: int = NOT_A_MEMBER  # the last epoch that on_assignment was called for
    failure: str | None = None  # why the group has no new target
    is_reported: bool = False  # this member's own failure, already reported to the application


#: What a rule returns: the new state and the effects, in order.
Outcome = tuple[AssigningState, tuple[AssigningEffect, ...]]


def in_phase(state: AssigningState, phase: AssigningPhase, now: float) -> AssigningState:
    """The state at the beginning of ``phase``."""
    return evolve(state, phase=phase, request=None, failures=0, not_before=now, awaits_heartbeat=False)


def at_rest(state: AssigningState) -> AssigningState:
    """The state without a computation; the assignor may still be busy."""
    return evolve(
        in_phase(state, AssigningPhase.IDLE, -inf),
        until=inf,
        told_again=False,
        assignor="",
        group_epoch=NOT_A_MEMBER,
        result=None,
    )
