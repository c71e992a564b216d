"""All effects that only members of classic groups have."""

from __future__ import annotations

from kafka_nextgen.assignors.spec import AssignmentSpec, Metadata
from kafka_nextgen.groups.consumer_protocol import MemberSubscription
from kafka_nextgen.lazy_attrs import frozen
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
    """An assignor that a member supports, and its metadata for it."""

    strategy: str
    user_data: bytes | None = None


@frozen
class MemberPart:
    """A member's part of the leader's assignment, and the assignor's metadata for the member."""

    member_id: str
    partitions: frozenset[TopicPartition]
    user_data: bytes | None = None


@frozen
class SendJoinGroup:
    """Send a JoinGroup and answer with JoinAnswered, JoinRefused or JoinLost.

    The coordinator delays its response until the group has joined: wait up to ``timeout_s`` seconds. ``reason`` is for
    the log (KIP-800); coordinators with extensions act on ``join_reason``.
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

    The leader's ``assignments`` contain every member of the group; those of other members are empty. The coordinator
    delays its response until the leader has assigned: wait up to ``timeout_s`` seconds.
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
    """Send a LeaveGroup and answer with LeaveEnded; ``reason`` is for the coordinator's log (KIP-800)."""

    number: int
    member_id: str
    instance_id: str | None
    reason: str


@frozen
class AskForTopics:
    """Request fresh metadata of these topics, and of all that match the pattern, if there is one.

    With ``with_parts``, request the group's assignment too (DescribeGroups).
    Answer with TopicsDescribed or TopicsNotDescribed.
    """

    number: int
    topics: frozenset[str]
    pattern: str | None = None
    with_parts: bool = False


@frozen
class RunAssignor:
    """Run this application-supplied assignor in the background, and check its assignment.

    Answer with AssignorReturned or AssignorFailed.
    """

    number: int
    assignor: str
    group: AssignmentSpec


@frozen
class TellAssignor:
    """Call the assignor's ``on_assignment`` with this member's part in this generation and the metadata."""

    assignor: str
    error: int
    partitions: frozenset[TopicPartition]
    metadata: Metadata | None
    generation: int


@frozen
class RaiseAssignorFailed:
    """Make the next poll raise an error: the group has no new assignment because this assignor failed.

    The assignor ran on the leader, which may be this member; ``why`` describes the failure.
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
