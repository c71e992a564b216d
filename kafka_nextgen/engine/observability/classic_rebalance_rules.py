"""Derives rebalances from the states of a member of the classic protocol."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kafka_nextgen.engine.observability.rebalance import RebalanceCause
from kafka_nextgen.engine.observability.rebalance_rules import REASONS, RebalanceRules, cause_of, refused
from kafka_nextgen.membership.classic import events as classic
from kafka_nextgen.membership.classic.effects import SendClassicHeartbeat
from kafka_nextgen.membership.classic.state import ClassicState
from kafka_nextgen.membership.classic.states import Status as ClassicStatus
from kafka_nextgen.membership.states import Phase
from kafka_nextgen.types import TopicPartition

__all__ = ["ClassicRebalanceRules"]

_REASONS: Mapping[type, Callable[[Any], str]] = {
    **REASONS,
    classic.JoinAnswered: lambda event: f"the group joined as generation {event.generation}",
    classic.JoinRefused: refused("JoinGroup"),
    classic.JoinLost: lambda event: f"a JoinGroup got no response: {event.reason}",
    classic.SyncRefused: refused("SyncGroup"),
    classic.CommitRefused: refused("commit"),
    classic.TopicsDescribed: lambda event: (
        "the group's topics have changed since its assignment"
        if event.parts is None
        else "its former assignment does not fit"
    ),
    classic.RebalanceEnforced: lambda event: f"the application enforced it: {event.reason}",
}


class ClassicRebalanceRules(RebalanceRules[ClassicState]):
    """A rebalance of a classic member lasts from the preparation of its join until its assignment is applied."""

    SENT = SendClassicHeartbeat
    KEPT = classic.SessionKept
    REASONS = _REASONS

    LEAVING = frozenset({ClassicStatus.PREPARE_LEAVING, ClassicStatus.LEAVING})
    JOINING = frozenset({ClassicStatus.UNJOINED, ClassicStatus.PREPARING})
    CALLED_WHEN_OUT = frozenset({ClassicStatus.PREPARE_LEAVING, ClassicStatus.STALE})
    CALLED = frozenset({Phase.REVOKING, Phase.ASSIGNING, Phase.LOSING})

    def begins(self, before: ClassicState, after: ClassicState) -> RebalanceCause | None:
        """A rebalance begins when the member becomes busy, loses its membership, or starts to leave."""
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
            return cause_of(after.leaving)
        return RebalanceCause.JOINED if before.published < 0 else RebalanceCause.REASSIGNED

    def _is_busy(self, state: ClassicState) -> bool:
        if state.status is ClassicStatus.STABLE:
            return state.phase is not Phase.IDLE or state.must_rejoin or state.assigned is not None
        if state.status in self.JOINING:
            return state.published >= 0 or state.phase in self.CALLED
        return state.status is ClassicStatus.COMPLETING or state.status in self.LEAVING or state.phase in self.CALLED

    def is_over(self, state: ClassicState) -> bool:
        """Whether no rebalance is under way.

        After a leaving member is out of the group, a callback that is still running does not count.
        """
        is_out = state.leaving is not None and not state.member_id
        return (is_out and state.status in self.CALLED_WHEN_OUT) or not self._is_busy(state)

    def owned(self, state: ClassicState) -> frozenset[TopicPartition]:
        """The partitions that the member owns."""
        return state.owned

    def epochs(self, state: ClassicState) -> tuple[int, int]:
        """The generations of the last SyncGroup and the last JoinGroup."""
        return state.published, state.generation
