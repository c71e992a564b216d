"""The member: the one place where its state changes.

The driver passes in events, the time and a random number, and carries out the effects in order. The machine does no
I/O, reads no clock, draws no random numbers and never blocks.
"""

from __future__ import annotations

from kafka_nextgen.membership import heartbeats
from kafka_nextgen.membership.any_member import AnyMember
from kafka_nextgen.membership.effects import Effect
from kafka_nextgen.membership.events import (
    AnyCallbackFinished,
    CommitFinished,
    Event,
    HeartbeatAnswered,
    HeartbeatLost,
    HeartbeatRefused,
)
from kafka_nextgen.membership.settings import MemberContext, MemberSettings
from kafka_nextgen.membership.state import MemberState
from kafka_nextgen.membership.states import Status
from kafka_nextgen.membership.transitions import TABLE

__all__ = ["Member", "is_late"]


class Member(AnyMember[MemberState]):
    """One member of one consumer group, for the lifetime of its consumer.

    The caller generates ``member_id`` once (KIP-1082): a random UUID, new after a fork.
    """

    def __init__(self, settings: MemberSettings, member_id: str) -> None:
        assert member_id, "a member has an id from the start"
        self.settings = settings
        self.state = MemberState(member_id, join_reason=settings.join_reason)

    def handle(self, event: Event, now: float, chance: float) -> tuple[Effect, ...]:
        """Apply ``event`` at ``now`` (seconds, monotonic) and return the effects, in order.

        ``chance``, in [0, 1), is the random number that jitters retries. Completions that the member is not waiting for
        have no effect.
        """
        if is_late(self.state, event):
            return ()
        at = MemberContext(now, chance, self.settings)
        state, effects = self._apply_rule(event, at)
        self.state, sent = heartbeats.send_if_due(state, at)
        return effects + sent

    def _apply_rule(self, event: Event, at: MemberContext) -> tuple[MemberState, tuple[Effect, ...]]:
        row = TABLE.get((self.state.status, type(event)))
        if row is None:
            return self.state, ()
        state, effects = row.rule(self.state, event, at)
        assert state.status in row.to, f"{row.status.name} on {row.event.__name__} must not lead to {state.status}"
        return state, effects

    @property
    def status(self) -> Status:
        """The member's status in its group."""
        return self.state.status

    @property
    def member_epoch(self) -> int:
        """The epoch last received from the coordinator: 0 while joining, -1 outside the group."""
        return self.state.member_epoch


def is_late(state: MemberState, event: Event) -> bool:
    """Whether ``event`` completes something that the member is not, or is no longer, waiting for."""
    if isinstance(event, HeartbeatAnswered | HeartbeatRefused | HeartbeatLost):
        return event.number != state.in_flight
    if isinstance(event, CommitFinished | AnyCallbackFinished):
        return event.number != state.waits_for
    return False
