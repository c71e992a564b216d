"""What a member of a classic group can ask of its driver, besides what any member can. Closed, too."""

from __future__ import annotations

from attrs import frozen

from kafka_nextgen.embedded import MemberSubscription
from kafka_nextgen.membership.classic.group import Offer
from kafka_nextgen.membership.effects import (
    ApplyAssignment,
    CallOnAssigned,
    CallOnLost,
    CallOnRevoked,
    CommitConsumed,
    FindCoordinator,
    Left,
    PublishEpoch,
    RaiseToApplication,
    StopFetching,
)
from kafka_nextgen.types import TopicPartition

__all__ = [
    "AskForTopics",
    "ClassicEffect",
    "SendClassicHeartbeat",
    "SendJoinGroup",
    "SendLeaveGroup",
    "SendSyncGroup",
]


@frozen
class SendJoinGroup:
    """Send a JoinGroup and answer with JoinAnswered, JoinRefused or JoinLost.

    The coordinator parks it until the group has joined: wait ``timeout_s`` seconds. ``reason`` is why (KIP-800).
    """

    number: int
    member_id: str
    instance_id: str | None
    session_timeout_ms: int
    rebalance_timeout_ms: int
    offers: tuple[Offer, ...]
    subscription: MemberSubscription
    reason: str
    timeout_s: float


@frozen
class SendSyncGroup:
    """Send a SyncGroup and answer with SyncAnswered, SyncRefused or SyncLost.

    ``assignments`` is for every member of the group from its leader, and empty from the others.
    """

    number: int
    member_id: str
    instance_id: str | None
    generation: int
    strategy: str | None
    assignments: tuple[tuple[str, frozenset[TopicPartition]], ...] = ()


@frozen
class SendClassicHeartbeat:
    """Send a Heartbeat and answer with SessionKept, HeartbeatRefused or HeartbeatLost."""

    number: int
    member_id: str
    instance_id: str | None
    generation: int


@frozen
class SendLeaveGroup:
    """Send a LeaveGroup and answer with LeaveEnded; ``reason`` is why (KIP-800)."""

    number: int
    member_id: str
    instance_id: str | None
    reason: str


@frozen
class AskForTopics:
    """Ask for fresh metadata of these topics, and of all that match the pattern, if there is one.

    Answer with TopicsDescribed or TopicsNotDescribed.
    """

    number: int
    topics: frozenset[str]
    pattern: str | None = None


ClassicEffect = (
    SendJoinGroup
    | SendSyncGroup
    | SendClassicHeartbeat
    | SendLeaveGroup
    | AskForTopics
    | FindCoordinator
    | StopFetching
    | CommitConsumed
    | CallOnRevoked
    | CallOnAssigned
    | CallOnLost
    | ApplyAssignment
    | PublishEpoch
    | RaiseToApplication
    | Left
)
