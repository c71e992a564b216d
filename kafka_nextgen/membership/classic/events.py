"""What can happen to a member of a classic group, besides what can happen to any member. Closed, too.

An event that completes something names it by the number its effect carried; a completion of anything else is
late and means nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from kafka_nextgen.assignors.spec import GroupAssignment, TopicMetadata
from kafka_nextgen.groups.consumer_protocol import MemberSubscription
from kafka_nextgen.membership.events import SharedEvent
from kafka_nextgen.types import JoinReason, TopicId, TopicPartition

__all__ = [
    "AssignorFailed",
    "AssignorReturned",
    "ClassicEvent",
    "CommitRefused",
    "JoinAnswered",
    "JoinLost",
    "JoinRefused",
    "JoinedMember",
    "LeaveEnded",
    "RebalanceEnforced",
    "SessionKept",
    "SyncAnswered",
    "SyncLost",
    "SyncRefused",
    "TopicsDescribed",
    "TopicsNotDescribed",
]


@frozen
class JoinedMember:
    """A member as the leader learns of it."""

    member_id: str
    instance_id: str | None
    subscription: MemberSubscription


@frozen
class JoinAnswered:
    """The whole group has joined; only its leader is told the ``members``.

    With ``skip_assignment`` the leader is not to assign: it is a static member that came back, and the group keeps
    its assignment (KIP-814). ``protocol_type`` is None from brokers that don't say.
    """

    number: int
    member_id: str
    generation: int
    protocol_type: str | None
    strategy: str | None
    leader_id: str
    members: tuple[JoinedMember, ...] = ()
    skip_assignment: bool = False


@frozen
class JoinRefused:
    """JoinGroup ``number`` was answered with an error; with MEMBER_ID_REQUIRED comes the ``member_id`` (KIP-394)."""

    number: int
    code: int
    member_id: str = ""
    message: str | None = None


@frozen
class JoinLost:
    """No answer to JoinGroup ``number`` will come."""

    number: int
    reason: str


@frozen
class SyncAnswered:
    """The leader has assigned; this is the member's part, and the assignor's word to it.

    The protocol is None from brokers that don't say.
    """

    number: int
    protocol_type: str | None
    strategy: str | None
    partitions: frozenset[TopicPartition]
    user_data: bytes | None = None


@frozen
class SyncRefused:
    """SyncGroup ``number`` was answered with an error."""

    number: int
    code: int


@frozen
class SyncLost:
    """No answer to SyncGroup ``number`` will come, or none that can be read."""

    number: int
    reason: str


@frozen
class SessionKept:
    """Heartbeat ``number`` was answered without an error."""

    number: int


@frozen
class LeaveEnded:
    """LeaveGroup ``number`` was answered, in any way, or is given up: it makes no difference."""

    number: int


@frozen
class TopicsDescribed:
    """The topics asked for by ``number`` that exist, and the names of those that match the pattern.

    ``ids`` has the ids of those topics; brokers before Kafka 2.8 tell none (KIP-516).
    """

    number: int
    topics: Mapping[str, TopicMetadata]
    matching: frozenset[str] = frozenset()
    ids: Mapping[str, TopicId] = field(factory=dict)


@frozen
class TopicsNotDescribed:
    """The metadata asked for by ``number`` can't be had just now."""

    number: int
    reason: str


@frozen
class CommitRefused:
    """A commit in the name of ``generation`` was refused with a code that says where the member stands in its group."""

    code: int
    generation: int


@frozen
class RebalanceEnforced:
    """The application wants the group to rebalance (KIP-568), and may state why."""

    reason: str
    join_reason: JoinReason = JoinReason.UNKNOWN


@frozen
class AssignorReturned:
    """The assignor run as ``number`` came to this, which is an assignment of the group it was asked about."""

    number: int
    assignment: GroupAssignment


@frozen
class AssignorFailed:
    """The assignor run as ``number`` raised, or came to what is no assignment; ``reason`` is what it did."""

    number: int
    reason: str


ClassicEvent = (
    JoinAnswered
    | JoinRefused
    | JoinLost
    | SyncAnswered
    | SyncRefused
    | SyncLost
    | SessionKept
    | LeaveEnded
    | TopicsDescribed
    | TopicsNotDescribed
    | RebalanceEnforced
    | AssignorReturned
    | AssignorFailed
    | CommitRefused
    | SharedEvent
)
