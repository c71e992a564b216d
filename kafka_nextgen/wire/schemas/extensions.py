"""APIs that Apache Kafka never shipped.

Their keys start at 10000, like the tags of fields added to Kafka's own messages. Other clients never see these
APIs: a broker advertises them only to clients that can use them.
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID  # noqa: TID251  (only the type; no id is made here)

from kafka_nextgen.wire.schema import Message, Structure, field
from kafka_nextgen.wire.schemas.consumer_group import TopicPartitions


class ConsumerGroupPrepareAssignmentRequest(Message, api_key=10000, versions="0", flexible="0+"):
    """KIP-848, "ConsumerGroupPrepareAssignment API": request the input of an assignor."""

    group_id: str = field("string", "0+")
    member_id: str = field("string", "0+")
    member_epoch: int = field("int32", "0+")


class ConsumerGroupPrepareAssignmentResponse(Message, api_key=10000, versions="0", flexible="0+"):
    """KIP-848, "ConsumerGroupPrepareAssignment API": the group as its assignor sees it, and the racks of partitions,
    which are not in the KIP.
    """

    class Member(Structure):
        class Assignor(Structure):
            reason: int = field("int8", "0+")
            metadata_version: int = field("int16", "0+")
            metadata_bytes: bytes = field("bytes", "0+")

        member_id: str = field("string", "0+")
        member_epoch: int = field("int32", "0+")
        instance_id: str | None = field("string", "0+", nullable="0+", default=None)
        rack_id: str | None = field("string", "0+", nullable="0+", default=None)
        subscribed_topic_ids: Sequence[UUID | None] = field(["uuid"], "0+")
        assignor: Assignor = field(Assignor, "0+")
        topic_partitions: Sequence[TopicPartitions] = field([TopicPartitions], "0+")

    class Topic(Structure):
        class PartitionRacks(Structure):
            racks: Sequence[str] = field(["string"], "0+")

        topic_id: UUID | None = field("uuid", "0+")
        topic_name: str = field("string", "0+")
        num_partitions: int = field("int32", "0+")
        partition_racks: Sequence[PartitionRacks] = field([PartitionRacks], "0+")

    throttle_time_ms: int = field("int32", "0+")
    error_code: int = field("int16", "0+")
    error_message: str | None = field("string", "0+", nullable="0+", default=None)
    group_epoch: int = field("int32", "0+")
    assignor_name: str = field("string", "0+")
    members: Sequence[Member] = field([Member], "0+")
    topics: Sequence[Topic] = field([Topic], "0+")


class ConsumerGroupInstallAssignmentRequest(Message, api_key=10001, versions="0", flexible="0+"):
    """KIP-848, "ConsumerGroupInstallAssignment API": the computed assignment. The metadata version has 16 bits, as in
    all other messages that carry it; the KIP says 32.
    """

    class Member(Structure):
        member_id: str = field("string", "0+")
        partitions: Sequence[TopicPartitions] = field([TopicPartitions], "0+")
        metadata_version: int = field("int16", "0+")
        metadata_bytes: bytes | None = field("bytes", "0+", nullable="0+", default=None)

    group_id: str = field("string", "0+")
    member_id: str = field("string", "0+")
    member_epoch: int = field("int32", "0+")
    group_epoch: int = field("int32", "0+")
    error: int = field("int8", "0+")
    error_message: str | None = field("string", "0+", nullable="0+", default=None)
    members: Sequence[Member] = field([Member], "0+")


class ConsumerGroupInstallAssignmentResponse(Message, api_key=10001, versions="0", flexible="0+"):
    """KIP-848, "ConsumerGroupInstallAssignment API": whether the assignment is now the group's target."""

    throttle_time_ms: int = field("int32", "0+")
    error_code: int = field("int16", "0+")
    error_message: str | None = field("string", "0+", nullable="0+", default=None)


class ConsumerGroupAddMembersRequest(Message, api_key=10002, versions="0", flexible="0+"):
    """KIP-345, "Future Works", and the draft of batched joins: reserve slots for static members."""

    class ExpectedMember(Structure):
        instance_id: str = field("string", "0+")
        session_timeout_ms: int = field("int32", "0+", default=-1)
        rebalance_timeout_ms: int = field("int32", "0+", default=-1)
        assignor: str | None = field("string", "0+", nullable="0+", default=None)

    group_id: str = field("string", "0+")
    members: Sequence[ExpectedMember] = field([ExpectedMember], "0+")
    timeout_ms: int = field("int32", "0+")


class ConsumerGroupAddMembersResponse(Message, api_key=10002, versions="0", flexible="0+"):
    """The result for each of them."""

    class AddedMember(Structure):
        instance_id: str = field("string", "0+")
        error_code: int = field("int16", "0+")
        error_message: str | None = field("string", "0+", nullable="0+", default=None)

    throttle_time_ms: int = field("int32", "0+")
    error_code: int = field("int16", "0+")
    error_message: str | None = field("string", "0+", nullable="0+", default=None)
    members: Sequence[AddedMember] = field([AddedMember], "0+")


class ConsumerGroupAnnounceLeavingRequest(Message, api_key=10004, versions="0", flexible="0+"):
    """The draft of batched joins, "the same with scale down": announce members that are about to leave."""

    class LeavingMember(Structure):
        member_id: str = field("string", "0+")
        instance_id: str | None = field("string", "0+", nullable="0+", default=None)

    group_id: str = field("string", "0+")
    members: Sequence[LeavingMember] = field([LeavingMember], "0+")
    timeout_ms: int = field("int32", "0+")


class ConsumerGroupAnnounceLeavingResponse(Message, api_key=10004, versions="0", flexible="0+"):
    """The result for each of them."""

    class AnnouncedMember(Structure):
        member_id: str = field("string", "0+")
        instance_id: str | None = field("string", "0+", nullable="0+", default=None)
        error_code: int = field("int16", "0+")
        error_message: str | None = field("string", "0+", nullable="0+", default=None)

    throttle_time_ms: int = field("int32", "0+")
    error_code: int = field("int16", "0+")
    error_message: str | None = field("string", "0+", nullable="0+", default=None)
    members: Sequence[AnnouncedMember] = field([AnnouncedMember], "0+")


class ConsumerGroupHistoryRequest(Message, api_key=10003, versions="0", flexible="0+"):
    """The "JoinReason" draft that accompanies KIP-345: requests the reasons for a group's rebalances."""

    group_id: str = field("string", "0+")


class ConsumerGroupHistoryResponse(Message, api_key=10003, versions="0", flexible="0+"):
    """The recorded rebalances of the group, each with its cause and its times."""

    class Rebalance(Structure):
        number: int = field("int64", "0+")
        reason: int = field("int8", "0+")
        member_id: str = field("string", "0+")
        instance_id: str | None = field("string", "0+", nullable="0+", default=None)
        join_reason: int = field("int8", "0+")
        text: str = field("string", "0+")
        cause_timestamp: int = field("int64", "0+")
        is_classic: bool = field("bool", "0+")
        epoch: int = field("int32", "0+")
        target_epoch: int = field("int32", "0+", default=-1)
        assignment_timestamp: int = field("int64", "0+", default=-1)

    throttle_time_ms: int = field("int32", "0+")
    error_code: int = field("int16", "0+")
    error_message: str | None = field("string", "0+", nullable="0+", default=None)
    rebalances: Sequence[Rebalance] = field([Rebalance], "0+")
