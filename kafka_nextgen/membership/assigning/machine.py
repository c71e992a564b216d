"""The state machine for client-side assignors: it decides when they compute.

The rules in prose (KIP-848, "Client Side Mode", "ConsumerGroupPrepareAssignment API", "ConsumerGroupInstallAssignment
API"):

1. A heartbeat response requests a computation. While PREPARING, it requests the state of the group and the chosen
   assignor from the coordinator. While COMPUTING, it runs that assignor. While INSTALLING, it sends the result to the
   coordinator. Then it requests its own share with an immediate heartbeat.
2. Heartbeats and reconciliation continue independently.
3. A request refused with STALE_MEMBER_EPOCH is sent again after the next heartbeat response, with the new epoch, or
   immediately if the epoch has changed in the meantime. After UNKNOWN_MEMBER_ID, the member stops, and another member
   computes.
4. The rebalance timeout bounds the whole computation. After that, the coordinator chooses another member, and refuses
  the result. The assignor runs one computation at a time: a member that gets another request is BLOCKED until the
  previous computation ends.
5. If an assignor raises or returns an invalid assignment, the member reports the reason to the coordinator. Nothing is
   installed, and ``poll`` raises in every member.
6. ``on_assignment`` is called once in each epoch on every member, including those that did not compute (``informing``).

The driver passes in events, the time and a random number, and carries out the effects in order. The machine does no
I/O, reads no clock, draws no random numbers and never blocks.

``TABLE`` has the same form as the member's table (``kafka_nextgen.membership.transitions``).
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import get_args

from attrs import evolve

from kafka_nextgen.membership.assigning import computing
from kafka_nextgen.membership.assigning import events as ev
from kafka_nextgen.membership.assigning.effects import AssigningEffect, SendInstall, SendPrepare
from kafka_nextgen.membership.assigning.settings import AssigningContext, AssigningSettings
from kafka_nextgen.membership.assigning.state import AssigningPhase, AssigningState, Outcome
from kafka_nextgen.membership.state_machine import (
    IgnoredIn,
    RowOf,
    all_ignored,
    ignored,
    numbered,
    row,
    stay,
    whole_table,
)

__all__ = ["IGNORED", "RULES", "TABLE", "AssigningMachine", "is_late"]

Rule = Callable[[AssigningState, ev.AssigningEvent, AssigningContext], Outcome]
Row = RowOf[AssigningPhase, Rule]

IDLE = AssigningPhase.IDLE
BLOCKED = AssigningPhase.BLOCKED
PREPARING = AssigningPhase.PREPARING
COMPUTING = AssigningPhase.COMPUTING
INSTALLING = AssigningPhase.INSTALLING


RULES: tuple[Row, ...] = (
    # Idle.
    row(IDLE, ev.HeartbeatHeard, computing.heartbeat_answered, IDLE, PREPARING, BLOCKED),
    row(IDLE, ev.Computed, computing.computed_too_late, IDLE),
    row(IDLE, ev.ComputationFailed, computing.failed_too_late, IDLE),
    # Waiting for a busy assignor.
    row(BLOCKED, ev.Computed, computing.computed_too_late, PREPARING),
    row(BLOCKED, ev.ComputationFailed, computing.failed_too_late, PREPARING),
    # Waiting for the state of the group.
    row(PREPARING, ev.Prepared, computing.prepared, COMPUTING, INSTALLING),
    row(PREPARING, ev.Refused, computing.prepare_refused, PREPARING, IDLE),
    row(PREPARING, ev.Lost, computing.lost, PREPARING),
    # The assignor is running.
    row(COMPUTING, ev.Computed, computing.computed, INSTALLING),
    row(COMPUTING, ev.ComputationFailed, computing.computation_failed, INSTALLING),
    # Sending the result.
    row(INSTALLING, ev.Installed, computing.installed, IDLE, PREPARING),
    row(INSTALLING, ev.Refused, computing.install_refused, INSTALLING, IDLE, PREPARING),
    row(INSTALLING, ev.Lost, computing.lost, INSTALLING),
    # In every phase.
    *stay(ev.HeartbeatHeard, computing.heartbeat_answered_while_computing, BLOCKED, PREPARING, COMPUTING, INSTALLING),
    *(row(phase, ev.MembershipEnded, computing.membership_ended, IDLE) for phase in AssigningPhase),
)

IGNORED: tuple[IgnoredIn[AssigningPhase], ...] = (
    ignored(ev.Prepared, "no PrepareAssignment is in flight", IDLE, BLOCKED, COMPUTING, INSTALLING),
    ignored(ev.Installed, "no InstallAssignment is in flight", IDLE, BLOCKED, PREPARING, COMPUTING),
    *all_ignored((ev.Refused, ev.Lost), "no request is in flight", IDLE, BLOCKED, COMPUTING),
    *all_ignored((ev.Computed, ev.ComputationFailed), "no computation is running", PREPARING, INSTALLING),
    ignored(ev.TimePassed, "due requests and timeouts are handled after every rule", *AssigningPhase),
)

#: The rows, by phase and event.
TABLE = whole_table(RULES, IGNORED, AssigningPhase, get_args(ev.AssigningEvent))


class AssigningMachine:
    """The client-side assignors of one consumer, for its lifetime."""

    def __init__(self, settings: AssigningSettings) -> None:
        self.settings = settings
        self.state = AssigningState()

    def handle(self, event: ev.AssigningEvent, now: float, chance: float) -> tuple[AssigningEffect, ...]:
        """Apply ``event`` at ``now`` (seconds, monotonic) and return the effects, in order.

        ``chance``, in [0, 1), is the random number that jitters retries. Completions that the machine is not waiting
        for have no effect.
        """
        if is_late(self.state, event):
            return ()
        at = AssigningContext(now, chance, self.settings)
        state, effects = self._apply_rule(event, at)
        state, given_up = computing.give_up_if_late(state, at)
        self.state, sent = _send_if_ready(state, at)
        return effects + given_up + sent

    def _apply_rule(self, event: ev.AssigningEvent, at: AssigningContext) -> Outcome:
        found = TABLE.get((self.state.phase, type(event)))
        if found is None:
            return self.state, ()
        state, effects = found.rule(self.state, event, at)
        assert state.phase in found.to, f"{found.status.name} on {found.event.__name__} must not lead to {state.phase}"
        return state, effects

    def deadline(self) -> float | None:
        """When to pass in ev.TimePassed (seconds, monotonic) if nothing else happens; None for never."""
        return _deadline(self.state)


def _send_if_ready(state: AssigningState, at: AssigningContext) -> Outcome:
    """Send the request of the phase if it has one, it is not in flight, and its backoff is over."""
    if not _has_to_send(state) or at.now < state.not_before:
        return state, ()
    state, number = numbered(state)
    state = evolve(state, request=number, sent_epoch=state.member_epoch)
    deadline_s = min(state.until, at.now + at.settings.request_timeout_s)
    if state.phase is AssigningPhase.PREPARING:
        return state, (SendPrepare(number, state.member_id, state.member_epoch, deadline_s),)
    return state, (_install(state, number, deadline_s),)


def _install(state: AssigningState, number: int, deadline_s: float) -> SendInstall:
    assert state.result is not None, "there is a result to install"
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


def _deadline(state: AssigningState) -> float | None:
    """The time of the next attempt or of the timeout, the earlier of the two; None for never."""
    at = min(state.until, state.not_before if _has_to_send(state) else inf)
    return None if at == inf else at


def is_late(state: AssigningState, event: ev.AssigningEvent) -> bool:
    """Whether ``event`` completes something that the machine is not, or is no longer, waiting for."""
    if isinstance(event, ev.Prepared | ev.Installed | ev.Refused | ev.Lost):
        return event.number != state.request
    return isinstance(event, ev.Computed | ev.ComputationFailed) and event.number != state.computing
