"""Administration of topics, and the logs of their partitions."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID  # noqa: TID251  (only the type; no id is made here)

from kafka_nextgen.wire.schema import Message, Structure, field


class CreateTopicsRequest(Message, api_key=19, versions="2-7", flexible="5+"):
    """Create topics."""

    class CreatableTopic(Structure):
        class CreatableReplicaAssignment(Structure):
            partition_index: int = field("int32", "0+")
            broker_ids: Sequence[int] = field(["int32"], "0+")

        class CreatableTopicConfig(Structure):
            name: str = field("string", "0+")
            value: str | None = field("string", "0+", nullable="0+")

        name: str = field("string", "0+")
        num_partitions: int = field("int32", "0+")
        replication_factor: int = field("int16", "0+")
        assignments: Sequence[CreatableReplicaAssignment] = field([CreatableReplicaAssignment], "0+")
        configs: Sequence[CreatableTopicConfig] = field([CreatableTopicConfig], "0+")

    topics: Sequence[CreatableTopic] = field([CreatableTopic], "0+")
    timeout_ms: int = field("int32", "0+", default=60000)
    validate_only: bool = field("bool", "1+")


class CreateTopicsResponse(Message, api_key=19, versions="2-7", flexible="5+"):
    """Whether each topic was created, and its settings."""

    class CreatableTopicResult(Structure):
        class CreatableTopicConfigs(Structure):
            name: str = field("string", "5+")
            value: str | None = field("string", "5+", nullable="5+")
            read_only: bool = field("bool", "5+")
            config_source: int = field("int8", "5+", default=-1)
            is_sensitive: bool = field("bool", "5+")

        name: str = field("string", "0+")
        topic_id: UUID | None = field("uuid", "7+")
        error_code: int = field("int16", "0+")
        error_message: str | None = field("string", "1+", nullable="0+")
        topic_config_error_code: int = field("int16", "5+", tag=0)
        num_partitions: int = field("int32", "5+", default=-1)
        replication_factor: int = field("int16", "5+", default=-1)
        configs: Sequence[CreatableTopicConfigs] | None = field([CreatableTopicConfigs], "5+", nullable="5+")

    throttle_time_ms: int = field("int32", "2+")
    topics: Sequence[CreatableTopicResult] = field([CreatableTopicResult], "0+")


class DeleteTopicsRequest(Message, api_key=20, versions="1-6", flexible="4+"):
    """Delete topics by name, or from version 6 on by id."""

    class DeleteTopicState(Structure):
        name: str | None = field("string", "6+", nullable="6+", default=None)
        topic_id: UUID | None = field("uuid", "6+")

    topics: Sequence[DeleteTopicState] = field([DeleteTopicState], "6+")
    topic_names: Sequence[str] = field(["string"], "0-5")
    timeout_ms: int = field("int32", "0+")


class DeleteTopicsResponse(Message, api_key=20, versions="1-6", flexible="4+"):
    """Whether each of them was deleted."""

    class DeletableTopicResult(Structure):
        name: str | None = field("string", "0+", nullable="6+")
        topic_id: UUID | None = field("uuid", "6+")
        error_code: int = field("int16", "0+")
        error_message: str | None = field("string", "5+", nullable="5+", default=None)

    throttle_time_ms: int = field("int32", "1+")
    responses: Sequence[DeletableTopicResult] = field([DeletableTopicResult], "0+")


class CreatePartitionsRequest(Message, api_key=37, versions="0-3", flexible="2+"):
    """Add partitions to topics (KIP-195)."""

    class CreatePartitionsTopic(Structure):
        class CreatePartitionsAssignment(Structure):
            broker_ids: Sequence[int] = field(["int32"], "0+")

        name: str = field("string", "0+")
        count: int = field("int32", "0+")
        assignments: Sequence[CreatePartitionsAssignment] | None = field(
            [CreatePartitionsAssignment], "0+", nullable="0+", default=None
        )

    topics: Sequence[CreatePartitionsTopic] = field([CreatePartitionsTopic], "0+")
    timeout_ms: int = field("int32", "0+")
    validate_only: bool = field("bool", "0+")


class CreatePartitionsResponse(Message, api_key=37, versions="0-3", flexible="2+"):
    """Whether each topic got its new partitions."""

    class CreatePartitionsTopicResult(Structure):
        name: str = field("string", "0+")
        error_code: int = field("int16", "0+")
        error_message: str | None = field("string", "0+", nullable="0+", default=None)

    throttle_time_ms: int = field("int32", "0+")
    results: Sequence[CreatePartitionsTopicResult] = field([CreatePartitionsTopicResult], "0+")


class DeleteRecordsRequest(Message, api_key=21, versions="0-2", flexible="2+"):
    """Delete the records before these offsets (KIP-107)."""

    class DeleteRecordsTopic(Structure):
        class DeleteRecordsPartition(Structure):
            partition_index: int = field("int32", "0+")
            offset: int = field("int64", "0+")

        name: str = field("string", "0+")
        partitions: Sequence[DeleteRecordsPartition] = field([DeleteRecordsPartition], "0+")

    topics: Sequence[DeleteRecordsTopic] = field([DeleteRecordsTopic], "0+")
    timeout_ms: int = field("int32", "0+")


class DeleteRecordsResponse(Message, api_key=21, versions="0-2", flexible="2+"):
    """The new first offset of each partition."""

    class DeleteRecordsTopicResult(Structure):
        class DeleteRecordsPartitionResult(Structure):
            partition_index: int = field("int32", "0+")
            low_watermark: int = field("int64", "0+")
            error_code: int = field("int16", "0+")

        name: str = field("string", "0+")
        partitions: Sequence[DeleteRecordsPartitionResult] = field([DeleteRecordsPartitionResult], "0+")

    throttle_time_ms: int = field("int32", "0+")
    topics: Sequence[DeleteRecordsTopicResult] = field([DeleteRecordsTopicResult], "0+")


class DescribeTopicPartitionsRequest(Message, api_key=75, versions="0", flexible="0+"):
    """Describe topics page by page (KIP-966)."""

    class TopicRequest(Structure):
        name: str = field("string", "0+")

    class Cursor(Structure):
        topic_name: str = field("string", "0+")
        partition_index: int = field("int32", "0+")

    topics: Sequence[TopicRequest] = field([TopicRequest], "0+")
    response_partition_limit: int = field("int32", "0+", default=2000)
    cursor: Cursor | None = field(Cursor, "0+", nullable="0+")


class DescribeTopicPartitionsResponse(Message, api_key=75, versions="0", flexible="0+"):
    """Topics with their partitions, and the cursor of the next page."""

    class DescribeTopicPartitionsResponseTopic(Structure):
        class DescribeTopicPartitionsResponsePartition(Structure):
            error_code: int = field("int16", "0+")
            partition_index: int = field("int32", "0+")
            leader_id: int = field("int32", "0+")
            leader_epoch: int = field("int32", "0+", default=-1)
            replica_nodes: Sequence[int] = field(["int32"], "0+")
            isr_nodes: Sequence[int] = field(["int32"], "0+")
            eligible_leader_replicas: Sequence[int] | None = field(["int32"], "0+", nullable="0+", default=None)
            last_known_elr: Sequence[int] | None = field(["int32"], "0+", nullable="0+", default=None)
            offline_replicas: Sequence[int] = field(["int32"], "0+")

        error_code: int = field("int16", "0+")
        name: str | None = field("string", "0+", nullable="0+")
        topic_id: UUID | None = field("uuid", "0+")
        is_internal: bool = field("bool", "0+")
        partitions: Sequence[DescribeTopicPartitionsResponsePartition] = field(
            [DescribeTopicPartitionsResponsePartition], "0+"
        )
        topic_authorized_operations: frozenset[int] | None = field("bitfield", "0+")

    throttle_time_ms: int = field("int32", "0+")
    topics: Sequence[DescribeTopicPartitionsResponseTopic] = field([DescribeTopicPartitionsResponseTopic], "0+")
    next_cursor: DescribeTopicPartitionsRequest.Cursor | None = field(
        DescribeTopicPartitionsRequest.Cursor, "0+", nullable="0+"
    )


class DescribeLogDirsRequest(Message, api_key=35, versions="1-4", flexible="2+"):
    """Request the log sizes of partitions."""

    class DescribableLogDirTopic(Structure):
        topic: str = field("string", "0+")
        partitions: Sequence[int] = field(["int32"], "0+")

    topics: Sequence[DescribableLogDirTopic] | None = field([DescribableLogDirTopic], "0+", nullable="0+")


class DescribeLogDirsResponse(Message, api_key=35, versions="1-4", flexible="2+"):
    """The directories of a broker, with the size of each log."""

    class DescribeLogDirsResult(Structure):
        class DescribeLogDirsTopic(Structure):
            class DescribeLogDirsPartition(Structure):
                partition_index: int = field("int32", "0+")
                partition_size: int = field("int64", "0+")
                offset_lag: int = field("int64", "0+")
                is_future_key: bool = field("bool", "0+")

            name: str = field("string", "0+")
            partitions: Sequence[DescribeLogDirsPartition] = field([DescribeLogDirsPartition], "0+")

        error_code: int = field("int16", "0+")
        log_dir: str = field("string", "0+")
        topics: Sequence[DescribeLogDirsTopic] = field([DescribeLogDirsTopic], "0+")
        total_bytes: int = field("int64", "4+", default=-1)
        usable_bytes: int = field("int64", "4+", default=-1)

    throttle_time_ms: int = field("int32", "0+")
    error_code: int = field("int16", "3+")
    results: Sequence[DescribeLogDirsResult] = field([DescribeLogDirsResult], "0+")
