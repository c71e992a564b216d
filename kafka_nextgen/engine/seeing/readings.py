"""What the states, events and effects of a membership machine mean for the history of rebalances and for counters.

This is the machine of the consumer group protocol; that of the classic one is in ``classic_reading``.
"""

from __future__ import annotations

from typing import Any, ClassVar

from kafka_nextgen.engine.seeing.reasons import reason_in
from kafka_nextgen.engine.seeing.rebalance import RebalanceCause
from kafka_nextgen.membership.any_member import Leaving, Why
from kafka_nextgen.membership.effects import Left, SendHeartbeat
from kafka_nextgen.membership.events import HeartbeatAnswered, HeartbeatLost, HeartbeatRefused
from kafka_nextgen.membership.state import MemberState
from kafka_nextgen.membership.states import Phase, Status
from kafka_nextgen.types import TopicPartition

__all__ = ["ConsumerReading", "cause_of"]

_CAUSES = {
    Why.CLOSED: RebalanceCause.CLOSED,
    Why.UNSUBSCRIBED: RebalanceCause.UNSUBSCRIBED,
    Why.EXPIRED: RebalanceCause.POLL_TIMEOUT,
}


class ConsumerReading:
    """A member of the consumer group protocol: it is busy from RECONCILING until it is STABLE again.

    One that is fenced without having anything joins again in the same step.
    """

    SENT: ClassVar[type[Any]] = SendHeartbeat
    KEPT: ClassVar[type[Any]] = HeartbeatAnswered
    FAILED: ClassVar[tuple[type[Any], ...]] = (HeartbeatRefused, HeartbeatLost)
    LEFT: ClassVar[type[Any]] = Left

    BUSY = frozenset({Status.RECONCILING, Status.PREPARE_LEAVING, Status.LEAVING, Status.FENCED, Status.FATAL})
    GOING_ON = frozenset({Status.RECONCILING, Status.ACKNOWLEDGING, Status.PREPARE_LEAVING, Status.LEAVING})
    CALLED_WHEN_OUT = frozenset({Status.PREPARE_LEAVING, Status.STALE})

    def begins(self, before: MemberState, after: MemberState) -> RebalanceCause | None:
        """A rebalance begins with a status that is busy, except that leaving goes on from the one to the other."""
        if before.published_epoch >= 0 and before.leaving is None and after.status is Status.JOINING:
            return RebalanceCause.FENCED
        if before.status is after.status or after.status not in self.BUSY:
            return None
        if before.status is Status.PREPARE_LEAVING and after.status is Status.LEAVING:
            return None
        return self._cause(before, after)

    def _cause(self, before: MemberState, after: MemberState) -> RebalanceCause:
        if after.status is Status.RECONCILING:
            return RebalanceCause.JOINED if before.status is Status.JOINING else RebalanceCause.REASSIGNED
        if after.status is Status.FATAL:
            return RebalanceCause.FAILED
        return cause_of(after.leaving)

    def is_over(self, state: MemberState) -> bool:
        """Nothing is under way, or only a callback that a member which leaves is out of its group without."""
        is_out = state.leaving is not None and state.published_epoch < 0
        return (is_out and state.status in self.CALLED_WHEN_OUT) or (
            state.phase is Phase.IDLE and state.status not in self.GOING_ON
        )

    def step(self, state: MemberState) -> str:
        """The phase or, between phases, the status."""
        return state.status.value if state.phase is Phase.IDLE else state.phase.value

    def owned(self, state: MemberState) -> frozenset[TopicPartition]:
        """By name."""
        return frozenset(TopicPartition(state.names[tip.topic_id], tip.partition) for tip in state.owned)

    def member_id(self, state: MemberState) -> str:
        """As it is."""
        return state.member_id

    def epochs(self, state: MemberState) -> tuple[int, int]:
        """Published and held."""
        return state.published_epoch, state.member_epoch

    def reason(self, event: object) -> str:
        """By its events."""
        return reason_in(event)


def cause_of(leaving: Leaving | None) -> RebalanceCause:
    """Why a member that is out of its group is: it left, or it was fenced."""
    return RebalanceCause.FENCED if leaving is None else _CAUSES[leaving.why]
