"""The records of a group. The recorded state of a group changes only when a record is applied.

Each class is one of Kafka's records in ``__consumer_offsets``, key and value together; a class whose name ends in
``Removed`` is the record's tombstone. The number in brackets is the version of Kafka's key, which is its type.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

from kafka_nextgen.assignors.spec import ClientAssignor, Metadata
from kafka_nextgen.groups.cause import EpochCause
from kafka_nextgen.groups.offered_protocol import OfferedProtocol
from kafka_nextgen.groups.topic_partitions import TopicPartitions
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.types import OffsetAndMetadata, TopicId, TopicIdPartition, TopicPartition

__all__ = [
    "ClassicGroupMetadata",
    "ClassicGroupMetadataRemoved",
    "ClassicMemberMetadata",
    "ClassicProtocols",
    "CurrentMemberAssignment",
    "CurrentMemberAssignmentRemoved",
    "ExtensionRecord",
    "GroupMetadata",
    "GroupMetadataRemoved",
    "MemberMetadata",
    "MemberMetadataRemoved",
    "MemberRecord",
    "MemberStatus",
    "OffsetCommitted",
    "OffsetRemoved",
    "PartitionMetadata",
    "PartitionMetadataRemoved",
    "PendingOffsetCommitted",
    "Record",
    "RegularExpression",
    "RegularExpressionRemoved",
    "SubscribedTopic",
    "TargetAssignmentMember",
    "TargetAssignmentMemberRemoved",
    "TargetAssignmentMetadata",
    "TargetAssignmentMetadataRemoved",
    "TransactionEnded",
]


class MemberStatus(IntEnum):
    """A member's state at the coordinator (Kafka's MemberState, with the same numbers)."""

    STABLE = 0
    UNREVOKED_PARTITIONS = 1
    UNRELEASED_PARTITIONS = 2
    UNKNOWN = 127


@frozen
class Record:
    """A record about one group in the log."""

    group_id: str


@frozen
class MemberRecord(Record):
    """A record about one member of a group."""

    member_id: str


@frozen
class ExtensionRecord(Record):
    """A record of a type that Kafka does not have. A coordinator without extensions ignores it."""

    @property
    def tells_cause(self) -> EpochCause | None:
        """Why the group rebalanced, if the record contains a reason."""
        return None


@frozen
class GroupMetadata(Record):
    """[3] The group epoch, and the hash of the metadata of the subscribed topics."""

    epoch: int
    metadata_hash: int = 0


@frozen
class GroupMetadataRemoved(Record):
    """[3] The group was removed."""


@frozen
class SubscribedTopic:
    """A topic that members of a group subscribe to; ``racks`` has the racks of a partition's replicas, if known."""

    topic_id: TopicId
    name: str
    partition_count: int
    racks: Mapping[int, tuple[str, ...]]


@frozen
class PartitionMetadata(Record):
    """[4] The metadata of the subscribed topics, which only Kafka 4.0 writes. Later releases write a hash of it with
    the group epoch (KIP-1101).
    """

    topics: tuple[SubscribedTopic, ...]


@frozen
class PartitionMetadataRemoved(Record):
    """[4] The metadata of the subscribed topics was removed, with the group or by a later release."""


@frozen
class ClassicProtocols:
    """The additional metadata of a classic member of a consumer group: Kafka's ClassicMemberMetadata, tag 0 of the
    record [5].
    """

    session_timeout_ms: int
    supported: tuple[OfferedProtocol, ...]  # preferred first


@frozen
class MemberMetadata(MemberRecord):
    """[5] A member's metadata; ``classic`` is set if it joined with JoinGroup.

    ``client_assignors``, preferred first, are an extension.
    """

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
class MemberMetadataRemoved(MemberRecord):
    """[5] The member was removed from the group."""


@frozen
class TargetAssignmentMetadata(Record):
    """[6] The epoch of the target assignment, and when it was computed (milliseconds).

    ``assignor`` and ``error`` are extensions: the name of the client-side assignor that computed it, if any, and that
    assignor's error code for the members.
    """

    assignment_epoch: int
    assignment_timestamp_ms: int = 0
    assignor: str | None = None
    error: int = 0


@frozen
class TargetAssignmentMetadataRemoved(Record):
    """[6] There is no target assignment."""


@frozen
class TargetAssignmentMember(MemberRecord):
    """[7] A member's target assignment, and a client-side assignor's metadata for it (an extension)."""

    partitions: TopicPartitions
    metadata: Metadata | None = None


@frozen
class TargetAssignmentMemberRemoved(MemberRecord):
    """[7] The member has no target assignment."""


@frozen
class CurrentMemberAssignment(MemberRecord):
    """[8] The partitions that a member owns, and those that it still has to revoke.

    ``assigned`` and ``pending_revocation`` pair each partition with the epoch in which it was assigned.
    """

    member_epoch: int
    previous_member_epoch: int
    status: MemberStatus
    assigned: tuple[tuple[TopicIdPartition, int], ...]
    pending_revocation: tuple[tuple[TopicIdPartition, int], ...]


@frozen
class CurrentMemberAssignmentRemoved(MemberRecord):
    """[8] The member owns no partitions."""


@frozen
class RegularExpression(Record):
    """[16] The topics that a pattern matched, and when it was last matched (milliseconds)."""

    pattern: str
    topics: tuple[str, ...]
    version: int
    timestamp_ms: int


@frozen
class RegularExpressionRemoved(Record):
    """[16] No member subscribes to the pattern."""

    pattern: str


@frozen
class ClassicMemberMetadata:
    """A member in a classic group's record: its metadata for the chosen protocol, and the leader's assignment."""

    member_id: str
    instance_id: str | None
    client_id: str
    client_host: str
    rebalance_timeout_ms: int
    session_timeout_ms: int
    subscription: bytes
    assignment: bytes


@frozen
class ClassicGroupMetadata(Record):
    """[2] The result of a classic group's generation, and its time (milliseconds). Kafka's GroupMetadata.

    A new group's first record has no protocol type.
    """

    protocol_type: str
    generation: int
    protocol: str | None
    leader_id: str | None
    timestamp_ms: int
    members: tuple[ClassicMemberMetadata, ...]


@frozen
class ClassicGroupMetadataRemoved(Record):
    """[2] The classic group was removed."""


@frozen
class OffsetCommitted(Record):
    """[1] A committed offset, the time of the commit (milliseconds), and the topic's id at that time, if known.

    ``expire_timestamp_ms`` is set if the commit specified a retention time.
    """

    partition: TopicPartition
    offset: OffsetAndMetadata
    commit_timestamp_ms: int
    topic_id: TopicId | None = None
    expire_timestamp_ms: int | None = None


@frozen
class PendingOffsetCommitted(Record):
    """[1] An offset committed in a transaction: the same record, in the producer's transactional batch."""

    partition: TopicPartition
    offset: OffsetAndMetadata
    commit_timestamp_ms: int
    topic_id: TopicId | None
    producer_id: int
    producer_epoch: int


@frozen
class TransactionEnded(Record):
    """The end marker of a producer's transaction, for one group."""

    producer_id: int
    is_commit: bool


@frozen
class OffsetRemoved(Record):
    """[1] A committed offset was deleted or expired."""

    partition: TopicPartition
