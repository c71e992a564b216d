"""All events that only members of classic groups have.

An event that completes an effect carries the effect's number. The member ignores completions that it is not waiting
for.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field

from kafka_nextgen.assignors.spec import GroupAssignment, TopicMetadata
from kafka_nextgen.groups.consumer_protocol import MemberSubscription
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.membership.events import SharedEvent
from kafka_nextgen.types import JoinReason, TopicId, TopicPartition

__all__ = [
    "AssignorFailed",
    "AssignorReturned",
    "ClassicEvent",
    "CommitRefused",
    "DescribedPart",
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
    """A member in the JoinGroup response to the leader."""

    member_id: str
    instance_id: str | None
    subscription: MemberSubscription


@frozen
class JoinAnswered:
    """The whole group has joined; only its leader gets the ``members``.

    With ``skip_assignment``, the leader must not assign: it is a static member that restarted, and the group keeps its
    assignment (KIP-814). Without ``tells_leader``, before version 9, such a leader is answered like a follower: the
    ``leader_id`` is its former member id. ``protocol_type`` is None from brokers that don't send it.
    """

    number: int
    member_id: str
    generation: int
    protocol_type: str | None
    strategy: str | None
    leader_id: str
    members: tuple[JoinedMember, ...] = ()
    skip_assignment: bool = False
    tells_leader: bool = True


@frozen
class JoinRefused:
    """JoinGroup ``number`` was answered with an error; MEMBER_ID_REQUIRED comes with the ``member_id`` (KIP-394)."""

    number: int
    code: int
    member_id: str = ""
    message: str | None = None


@frozen
class JoinLost:
    """JoinGroup ``number`` will get no response."""

    number: int
    reason: str


@frozen
class SyncAnswered:
    """The leader has assigned; this is the member's part, and the assignor's metadata for it.

    The protocol is None from brokers that don't send it.
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
    """SyncGroup ``number`` will get no response, or got one that can't be decoded."""

    number: int
    reason: str


@frozen
class SessionKept:
    """Heartbeat ``number`` was answered without an error."""

    number: int


@frozen
class LeaveEnded:
    """LeaveGroup ``number`` was answered, refused or lost; the member treats these alike."""

    number: int


@frozen
class DescribedPart:
    """A member's subscribed topics and its part of the assignment, as the coordinator describes them."""

    member_id: str
    topics: frozenset[str]
    partitions: frozenset[TopicPartition]


@frozen
class TopicsDescribed:
    """The requested topics that exist, and the names of those that match the pattern.

    ``ids`` are the ids of those topics; brokers before Kafka 2.8 don't send any (KIP-516). ``parts`` are the group's
    members. They are None if they were not requested, or if the group has no assignment at the moment.
    """

    number: int
    topics: Mapping[str, TopicMetadata]
    matching: frozenset[str] = frozenset()
    ids: Mapping[str, TopicId] = field(factory=dict)
    parts: tuple[DescribedPart, ...] | None = None


@frozen
class TopicsNotDescribed:
    """Metadata request ``number`` failed with a transient error."""

    number: int
    reason: str


@frozen
class CommitRefused:
    """A commit made in ``generation`` was refused with a code that concerns the membership."""

    code: int
    generation: int


@frozen
class RebalanceEnforced:
    """The application requested a rebalance of the group (KIP-568), optionally giving a reason."""

    reason: str
    join_reason: JoinReason = JoinReason.UNKNOWN


@frozen
class AssignorReturned:
    """Assignor run ``number`` returned a valid assignment."""

    number: int
    assignment: GroupAssignment


@frozen
class AssignorFailed:
    """Assignor run ``number`` raised or returned an invalid assignment; ``reason`` describes the failure."""

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
