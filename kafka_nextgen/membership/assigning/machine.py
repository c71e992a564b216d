"""A member's own assignors: the one place where it is decided when they compute, and for whom.

The rules in prose (KIP-848, "Client Side Mode", "ConsumerGroupPrepareAssignment API", "ConsumerGroupInstallAssignment
API"):

1.  A heartbeat's answer tells a member that it is to compute. It is then PREPARING: it asks for the group as the
    coordinator sees it, and which assignor the group has. COMPUTING, it lets that assignor work, INSTALLING, it brings
    the coordinator what came of it. Then it asks for its own share, with a heartbeat that does not wait for its time.
2.  Heartbeats, and what the member owns, have nothing to do with that: it may reconcile meanwhile.
3.  STALE_MEMBER_EPOCH is tried again after the next heartbeat's answer, with the epoch that this brought; at once, if
    there was an answer with another epoch meanwhile. After UNKNOWN_MEMBER_ID the member stands down: somebody else
    computes.
4.  All of it has to be done within the rebalance timeout. After that the coordinator has asked somebody else, and what
    the assignor is still at comes too late. One computation at a time: told to compute again, the member is BLOCKED
    until the last is over.
5.  An assignor that raises, or makes what is no assignment of the group, costs the group nothing: the coordinator is
    told that and why, nothing is installed, and every member's application hears of it.
6.  Whoever computed, ``on_assignment`` is called once in each epoch (``informing``).

Whoever drives the machine hands in what happened, the time and a random number, and carries out the effects in the
order they come. It does no I/O, reads no clock, throws no dice, and waits for nothing.

``TABLE`` is read as that of the member is (``kafka_nextgen.membership.transitions``).
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
    # Nothing to compute.
    row(IDLE, HeartbeatHeard, computing.heard, IDLE, PREPARING, BLOCKED),
    row(IDLE, Computed, computing.computed_in_vain, IDLE),
    row(IDLE, ComputationFailed, computing.failed_in_vain, IDLE),
    row(IDLE, MembershipEnded, computing.membership_ended, IDLE),
    # Told to, but the assignor is busy.
    row(BLOCKED, HeartbeatHeard, computing.heard_while_at_it, BLOCKED),
    row(BLOCKED, Computed, computing.computed_in_vain, PREPARING),
    row(BLOCKED, ComputationFailed, computing.failed_in_vain, PREPARING),
    row(BLOCKED, MembershipEnded, computing.membership_ended, IDLE),
    # Asks for the group.
    row(PREPARING, HeartbeatHeard, computing.heard_while_at_it, PREPARING),
    row(PREPARING, Prepared, computing.prepared, COMPUTING, INSTALLING),
    row(PREPARING, Refused, computing.prepare_refused, PREPARING, IDLE),
    row(PREPARING, Lost, computing.lost, PREPARING),
    row(PREPARING, MembershipEnded, computing.membership_ended, IDLE),
    # The assignor works.
    row(COMPUTING, HeartbeatHeard, computing.heard_while_at_it, COMPUTING),
    row(COMPUTING, Computed, computing.computed, INSTALLING),
    row(COMPUTING, ComputationFailed, computing.computation_failed, INSTALLING),
    row(COMPUTING, MembershipEnded, computing.membership_ended, IDLE),
    # Brings what came of it.
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
    """The assignors of one consumer, for as long as it lives, whatever epoch of its group it is in."""

    def __init__(self, settings: AssigningSettings) -> None:
        self.settings = settings
        self.state = AssigningState()

    def handle(self, event: AssigningEvent, now: float, chance: float) -> tuple[AssigningEffect, ...]:
        """Let ``event`` happen at ``now`` (seconds, monotonic) and return what is to be done, in order.

        ``chance`` in [0, 1) spreads retries. A completion that nobody waits for is late and changes nothing.
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
        """When TimePassed is to be handed in, if nothing else happens; None for never."""
        return sending.deadline(self.state)


def is_late(state: AssigningState, event: AssigningEvent) -> bool:
    """Whether ``event`` completes something that the machine does not wait for (any more)."""
    if isinstance(event, Prepared | Installed | Refused | Lost):
        return event.number != state.request
    return isinstance(event, Computed | ComputationFailed) and event.number != state.computing
