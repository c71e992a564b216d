"""The facts a group consists of. State changes by applying these and in no other way.

Each class is one of Kafka's records in ``__consumer_offsets`` and carries its key and its value; a class
ending in ``Removed`` is that record's tombstone. The number in brackets is the version of Kafka's key, which
is its type.
"""

from __future__ import annotations

from enum import IntEnum

from attrs import frozen

from kafka_nextgen.assignors.spec import ClientAssignor, Metadata
from kafka_nextgen.coordinator.classic.requests import OfferedProtocol
from kafka_nextgen.coordinator.hooks import ExtensionRecord
from kafka_nextgen.coordinator.share import Share
from kafka_nextgen.types import OffsetAndMetadata, TopicId, TopicIdPartition, TopicPartition

__all__ = [
    "ClassicGroupMetadata",
    "ClassicGroupMetadataRemoved",
    "ClassicMemberMetadata",
    "ClassicProtocols",
    "CurrentMemberAssignment",
    "CurrentMemberAssignmentRemoved",
    "GroupMetadata",
    "GroupMetadataRemoved",
    "MemberMetadata",
    "MemberMetadataRemoved",
    "MemberStatus",
    "OffsetCommitted",
    "OffsetRemoved",
    "PendingOffsetCommitted",
    "Record",
    "RegularExpression",
    "RegularExpressionRemoved",
    "TargetAssignmentMember",
    "TargetAssignmentMemberRemoved",
    "TargetAssignmentMetadata",
    "TargetAssignmentMetadataRemoved",
    "TransactionEnded",
]


class MemberStatus(IntEnum):
    """Where a member stands on the coordinator's side (Kafka's MemberState, with its numbers)."""

    STABLE = 0
    UNREVOKED_PARTITIONS = 1
    UNRELEASED_PARTITIONS = 2
    UNKNOWN = 127


@frozen
class GroupMetadata:
    """[3] The group is at this epoch, over topics whose metadata hash to this."""

    group_id: str
    epoch: int
    metadata_hash: int = 0


@frozen
class GroupMetadataRemoved:
    """[3] The group is gone."""

    group_id: str


@frozen
class ClassicProtocols:
    """What else there is of a member that speaks the classic protocol in a consumer group: Kafka's
    ClassicMemberMetadata, tag 0 of the record [5].
    """

    session_timeout_ms: int
    supported: tuple[OfferedProtocol, ...]  # preferred first


@frozen
class MemberMetadata:
    """[5] What a member said of itself; ``classic`` if it did so by JoinGroup.

    ``client_assignors``, preferred first, are an extension.
    """

    group_id: str
    member_id: str
    instance_id: str | None
    rack_id: str | None
    client_id: str
    client_host: str
    subscribed_topics: tuple[str, ...]
    subscribed_pattern: str | None
    rebalance_timeout_ms: int
    server_assignor: str | None
    classic: ClassicProtocols | None = None
    client_assignors: tuple[ClientAssignor, ...] = ()


@frozen
class MemberMetadataRemoved:
    """[5] The member is out of the group."""

    group_id: str
    member_id: str


@frozen
class TargetAssignmentMetadata:
    """[6] The target assignment belongs to this epoch and was made at this time (milliseconds).

    If a member made it: the name of its ``assignor``, and the ``error`` that this had to tell the members (extensions).
    """

    group_id: str
    assignment_epoch: int
    assignment_timestamp_ms: int = 0
    assignor: str | None = None
    error: int = 0


@frozen
class TargetAssignmentMetadataRemoved:
    """[6] There is no target assignment."""

    group_id: str


@frozen
class TargetAssignmentMember:
    """[7] A member's share of the target assignment, and what a client-side assignor has to tell it (an extension)."""

    group_id: str
    member_id: str
    partitions: Share
    metadata: Metadata | None = None


@frozen
class TargetAssignmentMemberRemoved:
    """[7] The member has no share in the target assignment."""

    group_id: str
    member_id: str


@frozen
class CurrentMemberAssignment:
    """[8] What a member owns, since which assignment epoch, and what it still has to give back.

    ``assigned`` and ``pending_revocation`` pair each partition with the assignment epoch it was granted at.
    """

    group_id: str
    member_id: str
    member_epoch: int
    previous_member_epoch: int
    status: MemberStatus
    assigned: tuple[tuple[TopicIdPartition, int], ...]
    pending_revocation: tuple[tuple[TopicIdPartition, int], ...]


@frozen
class CurrentMemberAssignmentRemoved:
    """[8] The member owns nothing any more."""

    group_id: str
    member_id: str


@frozen
class RegularExpression:
    """[16] The topics a pattern matched, when it was last looked at (milliseconds)."""

    group_id: str
    pattern: str
    topics: tuple[str, ...]
    version: int
    timestamp_ms: int


@frozen
class RegularExpressionRemoved:
    """[16] Nobody subscribes to the pattern any more."""

    group_id: str
    pattern: str


@frozen
class ClassicMemberMetadata:
    """A member of a classic group in its record: what it said for the protocol chosen, and what the leader gave it."""

    member_id: str
    instance_id: str | None
    client_id: str
    client_host: str
    rebalance_timeout_ms: int
    session_timeout_ms: int
    subscription: bytes
    assignment: bytes


@frozen
class ClassicGroupMetadata:
    """[2] What a generation of a classic group came to, and when (milliseconds). Kafka's GroupMetadata.

    A group that was just made has one without a type.
    """

    group_id: str
    protocol_type: str
    generation: int
    protocol: str | None
    leader_id: str | None
    timestamp_ms: int
    members: tuple[ClassicMemberMetadata, ...]


@frozen
class ClassicGroupMetadataRemoved:
    """[2] The classic group is gone."""

    group_id: str


@frozen
class OffsetCommitted:
    """[1] A committed offset, when it was committed (milliseconds), and the topic's id then, if known.

    ``expire_timestamp_ms`` is there if the commit said how long the offset is to be kept.
    """

    group_id: str
    partition: TopicPartition
    offset: OffsetAndMetadata
    commit_timestamp_ms: int
    topic_id: TopicId | None = None
    expire_timestamp_ms: int | None = None


@frozen
class PendingOffsetCommitted:
    """[1] An offset that will be committed when its producer's transaction is: the same record, in its batch."""

    group_id: str
    partition: TopicPartition
    offset: OffsetAndMetadata
    commit_timestamp_ms: int
    topic_id: TopicId | None
    producer_id: int
    producer_epoch: int


@frozen
class TransactionEnded:
    """The marker of a producer's transaction, as it concerns one group."""

    group_id: str
    producer_id: int
    is_commit: bool


@frozen
class OffsetRemoved:
    """[1] A committed offset was deleted or expired."""

    group_id: str
    partition: TopicPartition


Record = (
    GroupMetadata
    | GroupMetadataRemoved
    | MemberMetadata
    | MemberMetadataRemoved
    | TargetAssignmentMetadata
    | TargetAssignmentMetadataRemoved
    | TargetAssignmentMember
    | TargetAssignmentMemberRemoved
    | CurrentMemberAssignment
    | CurrentMemberAssignmentRemoved
    | RegularExpression
    | RegularExpressionRemoved
    | ClassicGroupMetadata
    | ClassicGroupMetadataRemoved
    | OffsetCommitted
    | PendingOffsetCommitted
    | TransactionEnded
    | OffsetRemoved
    | ExtensionRecord
)
