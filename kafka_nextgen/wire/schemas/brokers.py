"""What brokers tell of their logs."""

from __future__ import annotations

from collections.abc import Sequence

from kafka_nextgen.wire.schema import Message, Structure, field


class DescribeLogDirsRequest(Message, api_key=35, versions="1-4", flexible="2+"):
    """How large are the logs of these partitions?"""

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


class DescribeProducersRequest(Message, api_key=61, versions="0", flexible="0+"):
    """Which producers wrote to these partitions (KIP-664)?"""

    class TopicRequest(Structure):
        name: str = field("string", "0+")
        partition_indexes: Sequence[int] = field(["int32"], "0+")

    topics: Sequence[TopicRequest] = field([TopicRequest], "0+")


class DescribeProducersResponse(Message, api_key=61, versions="0", flexible="0+"):
    """The producers and their transactions."""

    class TopicResponse(Structure):
        class PartitionResponse(Structure):
            class ProducerState(Structure):
                producer_id: int = field("int64", "0+")
                producer_epoch: int = field("int32", "0+")
                last_sequence: int = field("int32", "0+", default=-1)
                last_timestamp: int = field("int64", "0+", default=-1)
                coordinator_epoch: int = field("int32", "0+")
                current_txn_start_offset: int = field("int64", "0+", default=-1)

            partition_index: int = field("int32", "0+")
            error_code: int = field("int16", "0+")
            error_message: str | None = field("string", "0+", nullable="0+", default=None)
            active_producers: Sequence[ProducerState] = field([ProducerState], "0+")

        name: str = field("string", "0+")
        partitions: Sequence[PartitionResponse] = field([PartitionResponse], "0+")

    throttle_time_ms: int = field("int32", "0+")
    topics: Sequence[TopicResponse] = field([TopicResponse], "0+")
