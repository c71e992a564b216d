"""The messages in the keys and values of ``__consumer_offsets`` records.

A record's key is its type in two bytes, then the key message in version 0. Its value is a version in two bytes, then
the value message in that version; a tombstone has no value. Types and tags from 10000 on belong to this project; Kafka
skips them.
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID  # noqa: TID251  (only the type; no id is made here)

from kafka_nextgen.wire.schema import Message, Structure, field
from kafka_nextgen.wire.schemas.consumer_group import ClientAssignor, TopicPartitions
from kafka_nextgen.wire.schemas.extensions import ConsumerGroupHistoryResponse


class GroupKey(Message, versions="0", flexible="none"):
    """Types 2, 3, 4, 6, 10001 and 10002: a group."""

    group_id: str = field("string", "0")


class MemberKey(Message, versions="0", flexible="none"):
    """Types 5, 7 and 8: a member of a consumer group."""

    group_id: str = field("string", "0")
    member_id: str = field("string", "0")


class ConsumerGroupCurrentMemberAssignmentValue(Message, versions="0", flexible="0+"):
    """Type 8: the member's assignment."""

    class OwnedPartitions(TopicPartitions):
        assignment_epochs: Sequence[int] | None = field(["int32"], "0+", nullable="0+", tag=0, default=None)

    member_epoch: int = field("int32", "0+")
    previous_member_epoch: int = field("int32", "0+")
    state: int = field("int8", "0+")
    assigned_partitions: Sequence[OwnedPartitions] = field([OwnedPartitions], "0+")
    partitions_pending_revocation: Sequence[OwnedPartitions] = field([OwnedPartitions], "0+")


class ConsumerGroupMemberMetadataValue(Message, versions="0", flexible="0+"):
    """Type 5: the member's subscription and metadata."""

    class ClassicMemberMetadata(Structure):
        """More about a member that uses the classic protocol."""

        class ClassicProtocol(Structure):
            name: str = field("string", "0+")
            metadata: bytes = field("bytes", "0+")

        session_timeout_ms: int = field("int32", "0+")
        supported_protocols: Sequence[ClassicProtocol] = field([ClassicProtocol], "0+")

    class ClientAssignors(Structure):
        """The assignors that the member can run itself."""

        assignors: Sequence[ClientAssignor] = field([ClientAssignor], "0+")

    instance_id: str | None = field("string", "0+", nullable="0+")
    rack_id: str | None = field("string", "0+", nullable="0+")
    client_id: str = field("string", "0+")
    client_host: str = field("string", "0+")
    subscribed_topic_names: Sequence[str] = field(["string"], "0+")
    subscribed_topic_regex: str | None = field("string", "0+", nullable="0+")
    rebalance_timeout_ms: int = field("int32", "0+", default=-1)
    server_assignor: str | None = field("string", "0+", nullable="0+")
    classic_member_metadata: ClassicMemberMetadata | None = field(
        ClassicMemberMetadata, "0+", nullable="0+", tag=0, default=ClassicMemberMetadata()
    )
    client_assignors: ClientAssignors | None = field(ClientAssignors, "0+", tag=10000)


class ConsumerGroupMetadataValue(Message, versions="0", flexible="0+"):
    """Type 3: the group's epoch."""

    epoch: int = field("int32", "0+")
    metadata_hash: int = field("int64", "0+", tag=0)


class ConsumerGroupPartitionMetadataValue(Message, versions="0", flexible="0+"):
    """Type 4: the metadata of the topics that the group's members subscribe to."""

    class TopicMetadata(Structure):
        class PartitionMetadata(Structure):
            partition: int = field("int32", "0+")
            racks: Sequence[str] = field(["string"], "0+")

        topic_id: UUID | None = field("uuid", "0+")
        topic_name: str = field("string", "0+")
        num_partitions: int = field("int32", "0+")
        partition_metadata: Sequence[PartitionMetadata] = field([PartitionMetadata], "0+")

    topics: Sequence[TopicMetadata] = field([TopicMetadata], "0+")


class ConsumerGroupRegularExpressionKey(Message, versions="0", flexible="none"):
    """Type 16: a pattern that a consumer group subscribes to."""

    group_id: str = field("string", "0")
    regular_expression: str = field("string", "0")


class ConsumerGroupRegularExpressionValue(Message, versions="0", flexible="0+"):
    """Type 16: the topics that the pattern matched."""

    topics: Sequence[str] = field(["string"], "0+")
    topics_version: int = field("int64", "0+")
    timestamp: int = field("int64", "0+")


class ConsumerGroupTargetAssignmentMemberValue(Message, versions="0", flexible="0+"):
    """Type 7: the member's share of the target assignment."""

    topic_partitions: Sequence[TopicPartitions] = field([TopicPartitions], "0+")
    metadata_version: int = field("int16", "0+", tag=10002)
    metadata_bytes: bytes | None = field("bytes", "0+", nullable="0+", tag=10003, default=None)


class ConsumerGroupTargetAssignmentMetadataValue(Message, versions="0", flexible="0+"):
    """Type 6: the epoch of the group's target assignment."""

    assignment_epoch: int = field("int32", "0+")
    assignment_timestamp: int = field("int64", "0+", tag=0)
    error: int = field("int8", "0+", tag=10000)
    assignor_name: str | None = field("string", "0+", nullable="0+", tag=10001, default=None)


class ExpectedMembersValue(Message, versions="0", flexible="0+"):
    """Type 10001: the group's slots reserved for expected members."""

    class Slot(Structure):
        instance_id: str = field("string", "0+")
        kept_until: int = field("int64", "0+")
        rebalance_timeout_ms: int = field("int32", "0+", default=-1)
        assignor: str | None = field("string", "0+", nullable="0+", default=None)

    slots: Sequence[Slot] = field([Slot], "0+")


class StandbyMembersValue(Message, versions="0", flexible="0+"):
    """Type 10002: the standby members, in the order in which they take over, and which of them are loading."""

    member_ids: Sequence[str] = field(["string"], "0+")
    loading: Sequence[str] = field(["string"], "0+", tag=0)


class LeavingMembersValue(Message, versions="0", flexible="0+"):
    """Type 10003: the members that are announced to leave, and those that have left since the latest rebalance."""

    class Leaver(Structure):
        member_id: str = field("string", "0+")
        instance_id: str | None = field("string", "0+", nullable="0+", default=None)
        expected_until: int = field("int64", "0+")

    leavers: Sequence[Leaver] = field([Leaver], "0+")


class GroupMetadataValue(Message, versions="0-4", flexible="4+"):
    """Type 2: the members and assignments of a classic group's generation."""

    class MemberMetadata(Structure):
        member_id: str = field("string", "0+")
        group_instance_id: str | None = field("string", "3+", nullable="3+", default=None)
        client_id: str = field("string", "0+")
        client_host: str = field("string", "0+")
        rebalance_timeout: int = field("int32", "1+", default=-1)  # our default: version 0 lacks this field
        session_timeout: int = field("int32", "0+")
        subscription: bytes = field("bytes", "0+")
        assignment: bytes = field("bytes", "0+")

    protocol_type: str = field("string", "0+")
    generation: int = field("int32", "0+")
    protocol: str | None = field("string", "0+", nullable="0+")
    leader: str | None = field("string", "0+", nullable="0+")
    current_state_timestamp: int = field("int64", "2+", default=-1)
    members: Sequence[MemberMetadata] = field([MemberMetadata], "0+")


class GroupRebalanceKey(Message, versions="0", flexible="none"):
    """Type 10000, an extension: a slot in the history of a group of either protocol."""

    group_id: str = field("string", "0")
    slot: int = field("int32", "0")


class GroupRebalanceValue(ConsumerGroupHistoryResponse.Rebalance, Message, versions="0", flexible="0+"):
    """Type 10000: the rebalance in that slot."""


class OffsetCommitKey(Message, versions="0", flexible="none"):
    """Type 1, and type 0 in the older form: a group and a partition."""

    group: str = field("string", "0")
    topic: str = field("string", "0")
    partition: int = field("int32", "0")


class OffsetCommitValue(Message, versions="0-4", flexible="4+"):
    """Type 1: the committed offset."""

    offset: int = field("int64", "0+")
    leader_epoch: int = field("int32", "3+", default=-1)
    metadata: str = field("string", "0+")
    commit_timestamp: int = field("int64", "0+")
    expire_timestamp: int = field("int64", "1", default=-1)
    topic_id: UUID | None = field("uuid", "4+", tag=0)
