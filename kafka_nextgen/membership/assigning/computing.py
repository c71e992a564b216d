"""The steps from the request to compute to an installed assignment (KIP-848, "Client Side Mode").

A step that fails is retried until the rebalance timeout, counted from the request to compute. After that the
coordinator chooses another member. Until the coordinator has described the group, every heartbeat response can repeat
the request. If the request is repeated later, another coordinator is asking or the group epoch has changed, so the
member computes again.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.assignors.spec import GroupAssignment
from kafka_nextgen.codes import ErrorCode, name_of
from kafka_nextgen.membership.assigning import informing
from kafka_nextgen.membership.assigning.effects import Compute, TellInstalled
from kafka_nextgen.membership.assigning.events import (
    ComputationFailed,
    Computed,
    HeartbeatHeard,
    Installed,
    Lost,
    MembershipEnded,
    Prepared,
    Refused,
)
from kafka_nextgen.membership.assigning.settings import AssigningContext
from kafka_nextgen.membership.assigning.state import AssigningPhase, AssigningState, Outcome, Result, at_rest, in_phase
from kafka_nextgen.membership.effects import FindCoordinator
from kafka_nextgen.membership.error_actions import COORDINATOR_ACTIONS, ErrorAction, ErrorActions
from kafka_nextgen.membership.state_machine import numbered, retry_at

__all__ = [
    "ACTIONS",
    "computation_failed",
    "computed",
    "computed_too_late",
    "failed_too_late",
    "give_up_if_late",
    "heartbeat_answered",
    "heartbeat_answered_while_computing",
    "install_refused",
    "installed",
    "lost",
    "membership_ended",
    "prepare_refused",
    "prepared",
]

#: The group error that reports a failed assignment; Kafka Streams uses the same code.
ASSIGNMENT_ERROR = 2

#: For the APIs ConsumerGroupPrepareAssignment and ConsumerGroupInstallAssignment (KIP-848). After any other code this
#: member can't make the assignment, and ``poll`` raises.
ACTIONS: ErrorActions = {
    **COORDINATOR_ACTIONS,
    ErrorCode.STALE_MEMBER_EPOCH: ErrorAction.RETRY_WITH_NEW_EPOCH,
    ErrorCode.UNKNOWN_MEMBER_ID: ErrorAction.STAND_DOWN,
    ErrorCode.GROUP_ID_NOT_FOUND: ErrorAction.STAND_DOWN,
}


def heartbeat_answered(state: AssigningState, event: HeartbeatHeard, at: AssigningContext) -> Outcome:
    """Process a heartbeat response while idle; start computing if the response requests it."""
    state, told = informing.take_answer(state, event, at)
    return (_begin(state, at) if event.should_compute else state), told


def _begin(state: AssigningState, at: AssigningContext) -> AssigningState:
    """Request the group's state, or wait until the assignor is free: it runs one computation at a time."""
    phase = AssigningPhase.PREPARING if state.computing is None else AssigningPhase.BLOCKED
    return evolve(in_phase(at_rest(state), phase, at.now), until=at.now + at.settings.rebalance_timeout_s)


def heartbeat_answered_while_computing(state: AssigningState, event: HeartbeatHeard, at: AssigningContext) -> Outcome:
    """Process a heartbeat response while a computation is in progress."""
    state, told = informing.take_answer(state, event, at)
    return evolve(state, told_again=state.told_again or event.should_compute), told


def prepared(state: AssigningState, event: Prepared, at: AssigningContext) -> Outcome:
    """The coordinator described the group: run the assignor."""
    state = evolve(state, assignor=event.assignor, group_epoch=event.group_epoch, told_again=False)
    if event.assignor not in at.settings.assignors:
        return _report(state, "this member does not have the assignor", None, at)
    state, number = numbered(in_phase(state, AssigningPhase.COMPUTING, at.now))
    return evolve(state, computing=number), (Compute(number, event.assignor, event.spec),)


def computed(state: AssigningState, event: Computed, at: AssigningContext) -> Outcome:
    """The assignor computed an assignment: install it."""
    state = evolve(in_phase(state, AssigningPhase.INSTALLING, at.now), computing=None)
    return evolve(state, result=Result(event.assignment)), ()


def computation_failed(state: AssigningState, event: ComputationFailed, at: AssigningContext) -> Outcome:
    """The assignor failed: report that to the application and to the coordinator, which then chooses another member."""
    return _report(evolve(state, computing=None), event.why, event.number, at)


def _report(state: AssigningState, why: str, computation: int | None, at: AssigningContext) -> Outcome:
    state, told = informing.fail(state, why, computation)
    nothing = Result(GroupAssignment({}, ASSIGNMENT_ERROR), why)
    state = in_phase(state, AssigningPhase.INSTALLING, at.now)
    return evolve(state, result=nothing), told


def computed_too_late(state: AssigningState, _event: Computed, at: AssigningContext) -> Outcome:
    """The assignor is free again. Its assignment is too late and is dropped."""
    state = evolve(state, computing=None)
    if state.phase is AssigningPhase.BLOCKED:
        state = in_phase(state, AssigningPhase.PREPARING, at.now)
    return state, ()


def failed_too_late(state: AssigningState, event: ComputationFailed, at: AssigningContext) -> Outcome:
    """The assignor is free again. Its delay has already been reported."""
    return computed_too_late(state, Computed(event.number, GroupAssignment({})), at)


def installed(state: AssigningState, _event: Installed, at: AssigningContext) -> Outcome:
    """The coordinator accepted the result: done, unless it has requested another computation."""
    assert state.result is not None, "there is a result that was installed"
    told = () if state.result.failure is not None else (TellInstalled(),)
    return _end(state, at), told


def _end(state: AssigningState, at: AssigningContext) -> AssigningState:
    return _begin(state, at) if state.told_again else at_rest(state)


def prepare_refused(state: AssigningState, event: Refused, at: AssigningContext) -> Outcome:
    """The coordinator refused to describe the group."""
    if event.code not in ACTIONS:
        state, told = informing.fail(state, f"the coordinator refused to describe the group: {_said(event)}", None)
        return _end(state, at), told
    return _refused(state, event, at)


def install_refused(state: AssigningState, event: Refused, at: AssigningContext) -> Outcome:
    """The coordinator refused the assignment, or the report of a failure."""
    assert state.result is not None, "there is a result to install"
    if event.code in ACTIONS:
        return _refused(state, event, at)
    if state.result.failure is not None:
        return _end(state, at), ()
    state, told = informing.fail(state, f"the coordinator refused its assignment: {_said(event)}", None)
    return _end(state, at), told


def _said(event: Refused) -> str:
    return f"{event.message} ({name_of(event.code)})" if event.message else name_of(event.code)


def _refused(state: AssigningState, event: Refused, at: AssigningContext) -> Outcome:
    action = ACTIONS[event.code]
    if action is ErrorAction.STAND_DOWN:
        return _end(state, at), ()
    if action is ErrorAction.RETRY_WITH_NEW_EPOCH:
        return evolve(state, request=None, awaits_heartbeat=state.member_epoch == state.sent_epoch), ()
    state = _back_off(state, at)
    return state, (FindCoordinator(),) if action is ErrorAction.FIND_COORDINATOR else ()


def lost(state: AssigningState, _event: Lost, at: AssigningContext) -> Outcome:
    """No response: retry after a pause. If the install had succeeded, the retry is refused."""
    return _back_off(state, at), ()


def _back_off(state: AssigningState, at: AssigningContext) -> AssigningState:
    failures = state.failures + 1
    return evolve(state, request=None, failures=failures, not_before=retry_at(failures, at))


def membership_ended(state: AssigningState, _event: MembershipEnded, _at: AssigningContext) -> Outcome:
    """Forget the computation: only a member of the group may install it."""
    return AssigningState(computing=state.computing, last_number=state.last_number), ()


def give_up_if_late(state: AssigningState, at: AssigningContext) -> Outcome:
    """Give up at the rebalance timeout: the coordinator has asked another member."""
    if at.now < state.until:
        return state, ()
    if state.phase is not AssigningPhase.COMPUTING:
        return at_rest(state), ()
    limit_s = at.settings.rebalance_timeout_s
    why = f"it did not finish within the rebalance timeout of {limit_s:g} s"
    state, told = informing.fail(state, why, state.computing)
    return at_rest(state), told
