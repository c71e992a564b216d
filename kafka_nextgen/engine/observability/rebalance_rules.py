"""Derives rebalances (beginning, cause and end) from the states of a member of the consumer group protocol.

A member only sees its own application and the coordinator's responses. These do not say why the coordinator changed the
target, for example because another member joined or left or a topic got more partitions (KIP-848,
"ConsumerGroupHeartbeat API"). So the rules do not guess the reason. The rules for the classic protocol are in
``classic_rebalance_rules``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Generic, TypeVar

from kafka_nextgen.codes import name_of
from kafka_nextgen.engine.observability.rebalance import RebalanceCause
from kafka_nextgen.membership import events as ev
from kafka_nextgen.membership.any_member import LeaveReason, Leaving
from kafka_nextgen.membership.effects import Left, SendHeartbeat
from kafka_nextgen.membership.events import HeartbeatAnswered, HeartbeatLost, HeartbeatRefused
from kafka_nextgen.membership.state import MemberState
from kafka_nextgen.membership.states import Phase, Status
from kafka_nextgen.types import TopicPartition

__all__ = ["NOT_POLLED", "ConsumerRebalanceRules", "RebalanceRules", "cause_of", "error_in", "refused"]

S = TypeVar("S")

NOT_POLLED = "the application did not poll within max.poll.interval.ms"


def _subscribed(event: ev.Subscribed) -> str:
    if event.matched_by is not None:
        return f"the pattern {event.matched_by} matched {', '.join(sorted(event.topics)) or 'no topic'}"
    what = f"the pattern {event.pattern}" if event.pattern is not None else ", ".join(sorted(event.topics))
    return f"the application subscribed to {what}"


def refused(request: str) -> Callable[[Any], str]:
    """Returns a function that describes an event with an error code and, optionally, a message."""

    def say(event: Any) -> str:
        message = getattr(event, "message", None)
        return f"the coordinator answered a {request} with {name_of(event.code)}" + (f": {message}" if message else "")

    return say


#: The reasons for a rebalance given by events of both protocols, as functions of the event.
REASONS: Mapping[type, Callable[[Any], str]] = {
    ev.Subscribed: _subscribed,
    ev.Unsubscribed: lambda _: "the application unsubscribed",
    ev.Closed: lambda event: f"the application closed the consumer (leave: {event.leave.value})",
    ev.HeartbeatAnswered: lambda event: f"the coordinator announced a new target at epoch {event.member_epoch}",
    ev.HeartbeatRefused: refused("heartbeat"),
    ev.HeartbeatLost: lambda event: f"a heartbeat got no response: {event.reason}",
}


_CALLED: Mapping[type, str] = {
    ev.CommitFinished: "the commit of the processed offsets failed",
    ev.RevokeFinished: "on_partitions_revoked raised",
    ev.AssignFinished: "on_partitions_assigned raised",
    ev.LossFinished: "on_partitions_lost raised",
}


def error_in(event: object) -> str | None:
    """Describe the failure of a callback, or of the commit before it, if the event has one."""
    error: str | None = getattr(event, "error", None)
    what = _CALLED.get(type(event))
    return None if what is None or error is None else f"{what}: {error}"


_CAUSES = {
    LeaveReason.CLOSED: RebalanceCause.CLOSED,
    LeaveReason.UNSUBSCRIBED: RebalanceCause.UNSUBSCRIBED,
    LeaveReason.EXPIRED: RebalanceCause.POLL_TIMEOUT,
}


class RebalanceRules(ABC, Generic[S]):
    """Interprets the states, events and effects of one protocol's machine as rebalances and heartbeats."""

    #: The effect that sends a heartbeat, and the event of a successful response.
    SENT: ClassVar[type[Any]] = SendHeartbeat
    KEPT: ClassVar[type[Any]] = HeartbeatAnswered
    #: The events of a failed heartbeat, and the effect that reports that the member has left the group.
    FAILED: ClassVar[tuple[type[Any], ...]] = (HeartbeatRefused, HeartbeatLost)
    LEFT: ClassVar[type[Any]] = Left
    #: The reason for a rebalance given by each event.
    REASONS: ClassVar[Mapping[type, Callable[[Any], str]]] = REASONS

    @abstractmethod
    def begins(self, before: S, after: S) -> RebalanceCause | None:
        """The cause, if a rebalance begins with the change from ``before`` to ``after``; None if none begins."""

    @abstractmethod
    def is_over(self, state: S) -> bool:
        """Whether no rebalance is under way."""

    @abstractmethod
    def owned(self, state: S) -> frozenset[TopicPartition]:
        """The partitions that the member owns."""

    @abstractmethod
    def epochs(self, state: S) -> tuple[int, int]:
        """The epoch in commits, and the member's current epoch."""

    def step(self, state: Any) -> str:
        """The name of the current step: the phase or, between phases, the status."""
        name: str = state.status.value if state.phase is Phase.IDLE else state.phase.value
        return name

    def reason(self, event: object) -> str:
        """The reason for a rebalance given by the event, or an empty string."""
        say = self.REASONS.get(type(event))
        return "" if say is None else say(event)


class ConsumerRebalanceRules(RebalanceRules[MemberState]):
    """A rebalance of a member of the consumer group protocol lasts from RECONCILING until it is STABLE again.

    A fenced member without partitions changes to JOINING directly, without being FENCED.
    """

    BUSY = frozenset({Status.RECONCILING, Status.PREPARE_LEAVING, Status.LEAVING, Status.FENCED, Status.FATAL})
    GOING_ON = frozenset({Status.RECONCILING, Status.ACKNOWLEDGING, Status.PREPARE_LEAVING, Status.LEAVING})
    CALLED_WHEN_OUT = frozenset({Status.PREPARE_LEAVING, Status.STALE})

    def begins(self, before: MemberState, after: MemberState) -> RebalanceCause | None:
        """A rebalance begins when the member enters a busy status.

        The change from PREPARE_LEAVING to LEAVING continues the same rebalance.
        """
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
        """Whether no rebalance is under way.

        After a leaving member is out of the group, a callback that is still running does not count.
        """
        is_out = state.leaving is not None and state.published_epoch < 0
        return (is_out and state.status in self.CALLED_WHEN_OUT) or (
            state.phase is Phase.IDLE and state.status not in self.GOING_ON
        )

    def owned(self, state: MemberState) -> frozenset[TopicPartition]:
        """The owned partitions, by topic name."""
        return frozenset(TopicPartition(state.names[tip.topic_id], tip.partition) for tip in state.owned)

    def epochs(self, state: MemberState) -> tuple[int, int]:
        """The published epoch and the member epoch."""
        return state.published_epoch, state.member_epoch


def cause_of(leaving: Leaving | None) -> RebalanceCause:
    """Why a member is out of its group: because it left, or because it was fenced."""
    return RebalanceCause.FENCED if leaving is None else _CAUSES[leaving.why]
