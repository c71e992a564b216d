"""Records and the offsets of partitions."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID  # noqa: TID251  (only the type; no id is made here)

from kafka_nextgen.wire.schema import Message, Structure, field


class FetchRequest(Message, api_key=1, versions="4-17", flexible="12+"):
    """Fetch the records from these offsets on. Consumers encode it with ``wire.fetch_request``."""

    class ReplicaState(Structure):
        replica_id: int = field("int32", "15+", default=-1)
        replica_epoch: int = field("int64", "15+", default=-1)

    class FetchTopic(Structure):
        class FetchPartition(Structure):
            partition: int = field("int32", "0+")
            current_leader_epoch: int = field("int32", "9+", default=-1)
            fetch_offset: int = field("int64", "0+")
            last_fetched_epoch: int = field("int32", "12+", default=-1)
            log_start_offset: int = field("int64", "5+", default=-1)
            partition_max_bytes: int = field("int32", "0+")
            replica_directory_id: UUID | None = field("uuid", "17+", tag=0)

        topic: str = field("string", "0-12")
        topic_id: UUID | None = field("uuid", "13+")
        partitions: Sequence[FetchPartition] = field([FetchPartition], "0+")

    class ForgottenTopic(Structure):
        topic: str = field("string", "7-12")
        topic_id: UUID | None = field("uuid", "13+")
        partitions: Sequence[int] = field(["int32"], "7+")

    cluster_id: str | None = field("string", "12+", nullable="12+", tag=0, default=None)
    replica_id: int = field("int32", "0-14", default=-1)
    replica_state: ReplicaState | None = field(ReplicaState, "15+", tag=1)
    max_wait_ms: int = field("int32", "0+")
    min_bytes: int = field("int32", "0+")
    max_bytes: int = field("int32", "3+", default=2147483647)
    isolation_level: int = field("int8", "4+")
    session_id: int = field("int32", "7+")
    session_epoch: int = field("int32", "7+", default=-1)
    topics: Sequence[FetchTopic] = field([FetchTopic], "0+")
    forgotten_topics_data: Sequence[ForgottenTopic] = field([ForgottenTopic], "7+")
    rack_id: str = field("string", "11+")


class FetchResponse(Message, api_key=1, versions="4-17", flexible="12+", in_place=True):
    """Records of partitions, as views of the frame, because only this response is megabytes large."""

    class FetchableTopicResponse(Structure):
        class PartitionData(Structure):
            class EpochEndOffset(Structure):
                epoch: int = field("int32", "12+", default=-1)
                end_offset: int = field("int64", "12+", default=-1)

            class LeaderIdAndEpoch(Structure):
                leader_id: int = field("int32", "0+", default=-1)
                leader_epoch: int = field("int32", "0+", default=-1)

            class SnapshotId(Structure):
                end_offset: int = field("int64", "0+", default=-1)
                epoch: int = field("int32", "0+", default=-1)

            class AbortedTransaction(Structure):
                producer_id: int = field("int64", "4+")
                first_offset: int = field("int64", "4+")

            partition_index: int = field("int32", "0+")
            error_code: int = field("int16", "0+")
            high_watermark: int = field("int64", "0+")
            last_stable_offset: int = field("int64", "4+", default=-1)
            log_start_offset: int = field("int64", "5+", default=-1)
            diverging_epoch: EpochEndOffset | None = field(EpochEndOffset, "12+", tag=0)
            current_leader: LeaderIdAndEpoch | None = field(LeaderIdAndEpoch, "12+", tag=1)
            snapshot_id: SnapshotId | None = field(SnapshotId, "12+", tag=2)
            aborted_transactions: Sequence[AbortedTransaction] | None = field([AbortedTransaction], "4+", nullable="4+")
            preferred_read_replica: int = field("int32", "11+", default=-1)
            records: bytes | None = field("records", "0+", nullable="0+")

        topic: str = field("string", "0-12")
        topic_id: UUID | None = field("uuid", "13+")
        partitions: Sequence[PartitionData] = field([PartitionData], "0+")

    class NodeEndpoint(Structure):
        node_id: int = field("int32", "0+")
        host: str = field("string", "0+")
        port: int = field("int32", "0+")
        rack: str | None = field("string", "0+", nullable="0+", default=None)

    throttle_time_ms: int = field("int32", "1+")
    error_code: int = field("int16", "7+")
    session_id: int = field("int32", "7+")
    responses: Sequence[FetchableTopicResponse] = field([FetchableTopicResponse], "0+")
    node_endpoints: Sequence[NodeEndpoint] = field([NodeEndpoint], "16+", tag=0)


class ListOffsetsRequest(Message, api_key=2, versions="1-11", flexible="6+"):
    """Find the offset for a timestamp, or the first or last offset."""

    class ListOffsetsTopic(Structure):
        class ListOffsetsPartition(Structure):
            partition_index: int = field("int32", "0+")
            current_leader_epoch: int = field("int32", "4+", default=-1)
            timestamp: int = field("int64", "0+")

        name: str = field("string", "0+")
        partitions: Sequence[ListOffsetsPartition] = field([ListOffsetsPartition], "0+")

    replica_id: int = field("int32", "0+", default=-1)
    isolation_level: int = field("int8", "2+")
    topics: Sequence[ListOffsetsTopic] = field([ListOffsetsTopic], "0+")
    timeout_ms: int = field("int32", "10+")


class ListOffsetsResponse(Message, api_key=2, versions="1-11", flexible="6+"):
    """The offset in each partition; -1 if no record has that timestamp or a later one."""

    class ListOffsetsTopicResponse(Structure):
        class ListOffsetsPartitionResponse(Structure):
            partition_index: int = field("int32", "0+")
            error_code: int = field("int16", "0+")
            timestamp: int = field("int64", "1+", default=-1)
            offset: int = field("int64", "1+", default=-1)
            leader_epoch: int = field("int32", "4+", default=-1)

        name: str = field("string", "0+")
        partitions: Sequence[ListOffsetsPartitionResponse] = field([ListOffsetsPartitionResponse], "0+")

    throttle_time_ms: int = field("int32", "2+")
    topics: Sequence[ListOffsetsTopicResponse] = field([ListOffsetsTopicResponse], "0+")


class OffsetForLeaderEpochRequest(Message, api_key=23, versions="2-4", flexible="4+"):
    """Find the end offset of a leader epoch (KIP-320)."""

    class OffsetForLeaderTopic(Structure):
        class OffsetForLeaderPartition(Structure):
            partition: int = field("int32", "0+")
            current_leader_epoch: int = field("int32", "2+", default=-1)
            leader_epoch: int = field("int32", "0+")

        topic: str = field("string", "0+")
        partitions: Sequence[OffsetForLeaderPartition] = field([OffsetForLeaderPartition], "0+")

    replica_id: int = field("int32", "3+", default=-2)
    topics: Sequence[OffsetForLeaderTopic] = field([OffsetForLeaderTopic], "0+")


class OffsetForLeaderEpochResponse(Message, api_key=23, versions="2-4", flexible="4+"):
    """The end offset of the epoch, or of the last epoch before it."""

    class OffsetForLeaderTopicResult(Structure):
        class EpochEndOffset(Structure):
            error_code: int = field("int16", "0+")
            partition: int = field("int32", "0+")
            leader_epoch: int = field("int32", "1+", default=-1)
            end_offset: int = field("int64", "0+", default=-1)

        topic: str = field("string", "0+")
        partitions: Sequence[EpochEndOffset] = field([EpochEndOffset], "0+")

    throttle_time_ms: int = field("int32", "2+")
    topics: Sequence[OffsetForLeaderTopicResult] = field([OffsetForLeaderTopicResult], "0+")
