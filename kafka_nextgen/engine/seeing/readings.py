"""What the states of the two membership machines mean for the history of rebalances."""

from __future__ import annotations

from kafka_nextgen.engine.seeing.history import RebalanceCause
from kafka_nextgen.membership.any_member import Leaving, Why
from kafka_nextgen.membership.classic.state import ClassicState
from kafka_nextgen.membership.classic.states import Status as ClassicStatus
from kafka_nextgen.membership.state import MemberState
from kafka_nextgen.membership.states import Phase, Status
from kafka_nextgen.types import TopicPartition

__all__ = ["ClassicReading", "ConsumerReading"]

_CAUSES = {
    Why.CLOSED: RebalanceCause.CLOSED,
    Why.UNSUBSCRIBED: RebalanceCause.UNSUBSCRIBED,
    Why.EXPIRED: RebalanceCause.POLL_TIMEOUT,
}


class ConsumerReading:
    """A member of the consumer group protocol: it is busy from RECONCILING until it is STABLE again.

    One that is fenced without having anything joins again in the same step.
    """

    BUSY = frozenset({Status.RECONCILING, Status.PREPARE_LEAVING, Status.LEAVING, Status.FENCED, Status.FATAL})
    GOING_ON = frozenset({Status.RECONCILING, Status.ACKNOWLEDGING, Status.PREPARE_LEAVING, Status.LEAVING})

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
        return _cause_of(after.leaving)

    def is_over(self, state: MemberState) -> bool:
        """Nothing is under way."""
        return state.phase is Phase.IDLE and state.status not in self.GOING_ON

    def step(self, state: MemberState) -> str:
        """The phase or, between phases, the status."""
        return state.status.value if state.phase is Phase.IDLE else state.phase.value

    def owned(self, state: MemberState) -> frozenset[TopicPartition]:
        """By name."""
        return frozenset(TopicPartition(state.names[tip.topic_id], tip.partition) for tip in state.owned)

    def epochs(self, state: MemberState) -> tuple[int, int]:
        """Published and held."""
        return state.published_epoch, state.member_epoch


class ClassicReading:
    """A member of a classic group: it is busy from preparing to join until it has taken its assignment over."""

    LEAVING = frozenset({ClassicStatus.PREPARE_LEAVING, ClassicStatus.LEAVING})
    JOINING = frozenset({ClassicStatus.UNJOINED, ClassicStatus.PREPARING})
    CALLED = frozenset({Phase.REVOKING, Phase.ASSIGNING, Phase.LOSING})

    def begins(self, before: ClassicState, after: ClassicState) -> RebalanceCause | None:
        """A rebalance begins when the member gets busy, falls out of the group, or is to leave."""
        if before.status in self.LEAVING and after.status in self.LEAVING:
            return None
        fell_out = after.published < 0 <= before.published and before.status not in self.LEAVING
        is_to_leave = after.status in self.LEAVING
        if fell_out or is_to_leave or (self._is_busy(after) and not self._is_busy(before)):
            return self._cause(before, after)
        return None

    def _cause(self, before: ClassicState, after: ClassicState) -> RebalanceCause:
        if after.status is ClassicStatus.FATAL:
            return RebalanceCause.FAILED
        if after.status is ClassicStatus.STALE:
            return RebalanceCause.POLL_TIMEOUT
        if after.leaving is not None or after.published < before.published:
            return _cause_of(after.leaving)
        return RebalanceCause.JOINED if before.published < 0 else RebalanceCause.REASSIGNED

    def _is_busy(self, state: ClassicState) -> bool:
        if state.status is ClassicStatus.STABLE:
            return state.phase is not Phase.IDLE or state.must_rejoin or state.assigned is not None
        if state.status in self.JOINING:
            return state.published >= 0 or state.phase in self.CALLED
        return state.status is ClassicStatus.COMPLETING or state.status in self.LEAVING or state.phase in self.CALLED

    def is_over(self, state: ClassicState) -> bool:
        """Nothing is under way."""
        return not self._is_busy(state)

    def step(self, state: ClassicState) -> str:
        """The phase or, between phases, the status."""
        return state.status.value if state.phase is Phase.IDLE else state.phase.value

    def owned(self, state: ClassicState) -> frozenset[TopicPartition]:
        """As it is."""
        return state.owned

    def epochs(self, state: ClassicState) -> tuple[int, int]:
        """The generation last synced, and the one last joined."""
        return state.published, state.generation


def _cause_of(leaving: Leaving | None) -> RebalanceCause:
    return RebalanceCause.FENCED if leaving is None else _CAUSES[leaving.why]
