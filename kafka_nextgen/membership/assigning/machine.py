"""The machine of client-side assignors: decides when they compute.

The rules in prose (KIP-848, "Client Side Mode", "ConsumerGroupPrepareAssignment API", "ConsumerGroupInstallAssignment
API"):

1.  A heartbeat response tells a member to compute. PREPARING, it asks the coordinator for the state of the group and
    the chosen assignor. COMPUTING, it runs that assignor. INSTALLING, it sends the result to the coordinator. Then it
    asks for its own share with an immediate heartbeat.
2.  Heartbeats and reconciliation go on independently.
3.  A request refused with STALE_MEMBER_EPOCH is sent again after the next heartbeat response, with the new epoch, or at
    once if the epoch has changed meanwhile. After UNKNOWN_MEMBER_ID the member stands down: another member computes.
4.  The rebalance timeout bounds all of it. After that the coordinator has asked another member, and the result comes
    too late. The assignor does one computation at a time: a member told to compute again is BLOCKED until the last one
    ends.
5.  If an assignor raises or makes an invalid assignment, the member reports that to the coordinator with the reason.
    Nothing is installed, and the application of every member is told.
6.  ``on_assignment`` is called once in each epoch, whichever member computed (``informing``).

The driver hands in events, the time and a random number, and carries out the effects in order. The machine does no I/O,
reads no clock, draws no random numbers and never blocks.

``TABLE`` reads like that of the member (``kafka_nextgen.membership.transitions``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

from kafka_nextgen.membership.assigning import computing, sending
from kafka_nextgen.membership.assigning.effects import AssigningEffect
from kafka_nextgen.membership.assigning.events import (
    AssigningEvent,
    ComputationFailed,
    Computed,
    HeartbeatHeard,
    Installed,
    Lost,
    MembershipEnded,
    Prepared,
    Refused,
    TimePassed,
)
from kafka_nextgen.membership.assigning.settings import AssigningSettings, Moment
from kafka_nextgen.membership.assigning.state import AssigningState, Outcome
from kafka_nextgen.membership.assigning.states import AssigningPhase
from kafka_nextgen.membership.table import IgnoredIn, RowOf, ignored, row, whole_table

__all__ = ["IGNORED", "RULES", "TABLE", "AssigningMachine", "is_late"]

Rule = Callable[[AssigningState, AssigningEvent, Moment], Outcome]
Row = RowOf[AssigningPhase, Rule]

IDLE = AssigningPhase.IDLE
BLOCKED = AssigningPhase.BLOCKED
PREPARING = AssigningPhase.PREPARING
COMPUTING = AssigningPhase.COMPUTING
INSTALLING = AssigningPhase.INSTALLING


RULES: tuple[Row, ...] = (
    # Idle.
    row(IDLE, HeartbeatHeard, computing.heard, IDLE, PREPARING, BLOCKED),
    row(IDLE, Computed, computing.computed_too_late, IDLE),
    row(IDLE, ComputationFailed, computing.failed_too_late, IDLE),
    row(IDLE, MembershipEnded, computing.membership_ended, IDLE),
    # Waiting for a busy assignor.
    row(BLOCKED, HeartbeatHeard, computing.heard_while_at_it, BLOCKED),
    row(BLOCKED, Computed, computing.computed_too_late, PREPARING),
    row(BLOCKED, ComputationFailed, computing.failed_too_late, PREPARING),
    row(BLOCKED, MembershipEnded, computing.membership_ended, IDLE),
    # Waiting for the state of the group.
    row(PREPARING, HeartbeatHeard, computing.heard_while_at_it, PREPARING),
    row(PREPARING, Prepared, computing.prepared, COMPUTING, INSTALLING),
    row(PREPARING, Refused, computing.prepare_refused, PREPARING, IDLE),
    row(PREPARING, Lost, computing.lost, PREPARING),
    row(PREPARING, MembershipEnded, computing.membership_ended, IDLE),
    # The assignor runs.
    row(COMPUTING, HeartbeatHeard, computing.heard_while_at_it, COMPUTING),
    row(COMPUTING, Computed, computing.computed, INSTALLING),
    row(COMPUTING, ComputationFailed, computing.computation_failed, INSTALLING),
    row(COMPUTING, MembershipEnded, computing.membership_ended, IDLE),
    # Sending the result.
    row(INSTALLING, HeartbeatHeard, computing.heard_while_at_it, INSTALLING),
    row(INSTALLING, Installed, computing.installed, IDLE, PREPARING),
    row(INSTALLING, Refused, computing.install_refused, INSTALLING, IDLE, PREPARING),
    row(INSTALLING, Lost, computing.lost, INSTALLING),
    row(INSTALLING, MembershipEnded, computing.membership_ended, IDLE),
)

IGNORED: tuple[IgnoredIn[AssigningPhase], ...] = (
    ignored(Prepared, "the group was not asked for", IDLE, BLOCKED, COMPUTING, INSTALLING),
    ignored(Installed, "nothing was brought", IDLE, BLOCKED, PREPARING, COMPUTING),
    ignored(Refused, "no request is under way", IDLE, BLOCKED, COMPUTING),
    ignored(Lost, "no request is under way", IDLE, BLOCKED, COMPUTING),
    ignored(Computed, "the assignor is not at work", PREPARING, INSTALLING),
    ignored(ComputationFailed, "the assignor is not at work", PREPARING, INSTALLING),
    ignored(TimePassed, "what is due is done after every rule", *AssigningPhase),
)

#: The row for each phase and event that has one.
TABLE = whole_table(RULES, IGNORED, AssigningPhase, get_args(AssigningEvent))


class AssigningMachine:
    """The client-side assignors of one consumer, for its lifetime."""

    def __init__(self, settings: AssigningSettings) -> None:
        self.settings = settings
        self.state = AssigningState()

    def handle(self, event: AssigningEvent, now: float, chance: float) -> tuple[AssigningEffect, ...]:
        """Apply ``event`` at ``now`` (seconds, monotonic) and return the effects, in order.

        ``chance`` in [0, 1) is the jitter of retries. A completion that the machine does not wait for changes nothing.
        """
        if is_late(self.state, event):
            return ()
        at = Moment(now, chance, self.settings)
        state, effects = self._apply_rule(event, at)
        state, given_up = computing.give_up_if_late(state, at)
        self.state, sent = sending.send_if_ready(state, at)
        return effects + given_up + sent

    def _apply_rule(self, event: AssigningEvent, at: Moment) -> Outcome:
        found = TABLE.get((self.state.phase, type(event)))
        if found is None:
            return self.state, ()
        state, effects = found.rule(self.state, event, at)
        assert state.phase in found.to, f"{found.status.name} on {found.event.__name__} must not lead to {state.phase}"
        return state, effects

    def deadline(self) -> float | None:
        """When to hand in TimePassed (seconds, monotonic) if nothing else happens; None for never."""
        return sending.deadline(self.state)


def is_late(state: AssigningState, event: AssigningEvent) -> bool:
    """Whether ``event`` completes something that the machine does not wait for (any more)."""
    if isinstance(event, Prepared | Installed | Refused | Lost):
        return event.number != state.request
    return isinstance(event, Computed | ComputationFailed) and event.number != state.computing
