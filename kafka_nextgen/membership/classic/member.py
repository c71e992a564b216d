"""The member of a classic group: the one place where its state changes.

The driver passes in events, the time and a random number, and carries out the effects in order, as with the member of
the consumer group protocol.
"""

from __future__ import annotations

from kafka_nextgen.membership.any_member import AnyMember
from kafka_nextgen.membership.classic import computing, heartbeats, joining, topics
from kafka_nextgen.membership.classic.effects import ClassicEffect
from kafka_nextgen.membership.classic.events import (
    AssignorFailed,
    AssignorReturned,
    ClassicEvent,
    JoinAnswered,
    JoinLost,
    JoinRefused,
    LeaveEnded,
    SessionKept,
    SyncAnswered,
    SyncLost,
    SyncRefused,
    TopicsDescribed,
    TopicsNotDescribed,
)
from kafka_nextgen.membership.classic.settings import ClassicContext, ClassicSettings
from kafka_nextgen.membership.classic.state import ClassicState, Outcome
from kafka_nextgen.membership.classic.states import Status
from kafka_nextgen.membership.classic.transitions import TABLE
from kafka_nextgen.membership.events import AnyCallbackFinished, CommitFinished, HeartbeatLost, HeartbeatRefused

__all__ = ["ClassicMember", "is_late"]


#: The events that complete a JoinGroup, SyncGroup or LeaveGroup.
REQUEST_ENDED = (JoinAnswered, JoinRefused, JoinLost, SyncAnswered, SyncRefused, SyncLost, LeaveEnded)


class ClassicMember(AnyMember[ClassicState]):
    """One member of one classic group, for the lifetime of its consumer."""

    def __init__(self, settings: ClassicSettings) -> None:
        assert settings.strategies, "a member offers at least one assignor"
        self.settings = settings
        self.state = ClassicState(join_reason=settings.join_reason)

    def handle(self, event: ClassicEvent, now: float, chance: float) -> tuple[ClassicEffect, ...]:
        """Apply ``event`` at ``now`` (seconds, monotonic) and return the effects, in order.

        ``chance``, in [0, 1), is the random number that jitters retries. Completions that the member is not waiting for
        have no effect.
        """
        row = TABLE.get((self.state.status, type(event)))
        if row is None or is_late(self.state, event):
            return ()
        at = ClassicContext(now, chance, self.settings)
        state, effects = row.rule(self.state, event, at)
        state, more = _do_what_is_due(state, at)
        assert state.status in row.to, f"{row.status.name} on {row.event.__name__} must not lead to {state.status}"
        self.state = state
        return effects + more

    @property
    def status(self) -> Status:
        """The member's status in its group."""
        return self.state.status

    @property
    def member_epoch(self) -> int:
        """The generation last joined, -1 outside the group."""
        return self.state.generation


def _do_what_is_due(state: ClassicState, at: ClassicContext) -> Outcome:
    state, joins = joining.join_if_due(state, at)
    state, asks = topics.ask_if_due(state, at)
    state, gives_up = computing.give_up_if_late(state, at)
    state, looks = heartbeats.look_elsewhere_if_silent(state, at)
    state, beats = heartbeats.send_if_due(state, at)
    return state, joins + asks + gives_up + looks + beats


def is_late(state: ClassicState, event: ClassicEvent) -> bool:
    """Whether ``event`` completes something that the member is not, or is no longer, waiting for."""
    if isinstance(event, SessionKept | HeartbeatRefused | HeartbeatLost):
        return event.number != state.in_flight
    if isinstance(event, TopicsDescribed | TopicsNotDescribed):
        return event.number != state.asked
    if isinstance(event, AssignorReturned | AssignorFailed):
        return state.computation is None or event.number != state.computation.number
    if isinstance(event, CommitFinished | AnyCallbackFinished):
        return event.number != state.waits_for
    if isinstance(event, REQUEST_ENDED):
        return event.number != state.request
    return False
