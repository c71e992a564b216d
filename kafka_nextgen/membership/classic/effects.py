"""What a member of a classic group can ask of its driver, besides what any member can. Closed, too."""

from __future__ import annotations

from attrs import frozen

from kafka_nextgen.assignors.spec import AssignmentSpec, Metadata
from kafka_nextgen.groups.consumer_protocol import MemberSubscription
from kafka_nextgen.membership.effects import SharedEffect
from kafka_nextgen.types import JoinReason, TopicPartition

__all__ = [
    "AskForTopics",
    "ClassicEffect",
    "MemberPart",
    "Offer",
    "RaiseAssignorFailed",
    "RunAssignor",
    "SendClassicHeartbeat",
    "SendJoinGroup",
    "SendLeaveGroup",
    "SendSyncGroup",
    "TellAssignor",
]


@frozen
class Offer:
    """An assignor that a member can work with, and its word to it."""

    strategy: str
    user_data: bytes | None = None


@frozen
class MemberPart:
    """What the leader has for a member, and the assignor's word to it."""

    member_id: str
    partitions: frozenset[TopicPartition]
    user_data: bytes | None = None


@frozen
class SendJoinGroup:
    """Send a JoinGroup and answer with JoinAnswered, JoinRefused or JoinLost.

    The coordinator parks it until the group has joined: wait ``timeout_s`` seconds. ``reason`` is why (KIP-800),
    ``join_reason`` what coordinators with extensions act on.
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
    join_reason: JoinReason = JoinReason.UNKNOWN


@frozen
class SendSyncGroup:
    """Send a SyncGroup and answer with SyncAnswered, SyncRefused or SyncLost.

    ``assignments`` is for every member of the group from its leader, and empty from the others. The coordinator parks
    it until the leader has assigned: wait ``timeout_s`` seconds.
    """

    number: int
    member_id: str
    instance_id: str | None
    generation: int
    strategy: str | None
    timeout_s: float
    assignments: tuple[MemberPart, ...] = ()


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


@frozen
class RunAssignor:
    """Have this assignor of the application's own assign the group, beside everything else, and judge what it made.

    Answer with AssignorReturned or AssignorFailed.
    """

    number: int
    assignor: str
    group: AssignmentSpec


@frozen
class TellAssignor:
    """Call the assignor's ``on_assignment``: what this member was given in this generation, and the assignor's word."""

    assignor: str
    error: int
    partitions: frozenset[TopicPartition]
    metadata: Metadata | None
    generation: int


@frozen
class RaiseAssignorFailed:
    """Raise, where the application polls, that the group has no new assignment for what this assignor did.

    It is the leader's, who may be this member; ``why`` says what it did.
    """

    assignor: str
    leader_id: str
    why: str


ClassicEffect = (
    SendJoinGroup
    | SendSyncGroup
    | SendClassicHeartbeat
    | SendLeaveGroup
    | AskForTopics
    | RunAssignor
    | TellAssignor
    | RaiseAssignorFailed
    | SharedEffect
)
