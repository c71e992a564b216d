"""The committed offsets of groups."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID  # noqa: TID251  (only the type; no id is made here)

from kafka_nextgen.wire.schema import Message, Structure, field


class OffsetCommitRequest(Message, api_key=8, versions="2-10", flexible="8+"):
    """Commit offsets of a group."""

    class OffsetCommitRequestTopic(Structure):
        class OffsetCommitRequestPartition(Structure):
            partition_index: int = field("int32", "0+")
            committed_offset: int = field("int64", "0+")
            committed_leader_epoch: int = field("int32", "6+", default=-1)
            committed_metadata: str | None = field("string", "0+", nullable="0+")

        name: str = field("string", "0-9")
        topic_id: UUID | None = field("uuid", "10+")
        partitions: Sequence[OffsetCommitRequestPartition] = field([OffsetCommitRequestPartition], "0+")

    group_id: str = field("string", "0+")
    generation_id_or_member_epoch: int = field("int32", "1+", default=-1)
    member_id: str = field("string", "1+")
    group_instance_id: str | None = field("string", "7+", nullable="7+", default=None)
    retention_time_ms: int = field("int64", "2-4", default=-1)
    topics: Sequence[OffsetCommitRequestTopic] = field([OffsetCommitRequestTopic], "0+")


class OffsetCommitResponse(Message, api_key=8, versions="2-10", flexible="8+"):
    """Whether each offset was committed."""

    class OffsetCommitResponseTopic(Structure):
        class OffsetCommitResponsePartition(Structure):
            partition_index: int = field("int32", "0+")
            error_code: int = field("int16", "0+")

        name: str = field("string", "0-9")
        topic_id: UUID | None = field("uuid", "10+")
        partitions: Sequence[OffsetCommitResponsePartition] = field([OffsetCommitResponsePartition], "0+")

    throttle_time_ms: int = field("int32", "3+")
    topics: Sequence[OffsetCommitResponseTopic] = field([OffsetCommitResponseTopic], "0+")


class OffsetFetchRequest(Message, api_key=9, versions="1-10", flexible="6+"):
    """Fetch a group's committed offsets. A null topics array requests all topics."""

    class OffsetFetchRequestGroup(Structure):
        class OffsetFetchRequestTopics(Structure):
            name: str = field("string", "0-9")
            topic_id: UUID | None = field("uuid", "10+")
            partition_indexes: Sequence[int] = field(["int32"], "0+")

        group_id: str = field("string", "8+")
        member_id: str | None = field("string", "9+", nullable="9+", default=None)
        member_epoch: int = field("int32", "9+", default=-1)
        topics: Sequence[OffsetFetchRequestTopics] | None = field([OffsetFetchRequestTopics], "8+", nullable="8+")

    group_id: str = field("string", "0-7")
    topics: Sequence[OffsetFetchRequestGroup.OffsetFetchRequestTopics] | None = field(
        [OffsetFetchRequestGroup.OffsetFetchRequestTopics], "0-7", nullable="2-7"
    )
    groups: Sequence[OffsetFetchRequestGroup] = field([OffsetFetchRequestGroup], "8+")
    require_stable: bool = field("bool", "7+")


class OffsetFetchResponse(Message, api_key=9, versions="1-10", flexible="6+"):
    """The committed offsets; -1 if there is none."""

    class OffsetFetchResponseGroup(Structure):
        class OffsetFetchResponseTopics(Structure):
            class OffsetFetchResponsePartitions(Structure):
                partition_index: int = field("int32", "0+")
                committed_offset: int = field("int64", "0+")
                committed_leader_epoch: int = field("int32", "5+", default=-1)
                metadata: str | None = field("string", "0+", nullable="0+")
                error_code: int = field("int16", "0+")

            name: str = field("string", "0-9")
            topic_id: UUID | None = field("uuid", "10+")
            partitions: Sequence[OffsetFetchResponsePartitions] = field([OffsetFetchResponsePartitions], "0+")

        group_id: str = field("string", "8+")
        topics: Sequence[OffsetFetchResponseTopics] = field([OffsetFetchResponseTopics], "8+")
        error_code: int = field("int16", "8+")

    throttle_time_ms: int = field("int32", "3+")
    topics: Sequence[OffsetFetchResponseGroup.OffsetFetchResponseTopics] = field(
        [OffsetFetchResponseGroup.OffsetFetchResponseTopics], "0-7"
    )
    error_code: int = field("int16", "2-7")
    groups: Sequence[OffsetFetchResponseGroup] = field([OffsetFetchResponseGroup], "8+")


class OffsetDeleteRequest(Message, api_key=47, versions="0", flexible="none"):
    """Delete the committed offsets of topics that a group no longer reads (KIP-496)."""

    class OffsetDeleteRequestTopic(Structure):
        class OffsetDeleteRequestPartition(Structure):
            partition_index: int = field("int32", "0+")

        name: str = field("string", "0+")
        partitions: Sequence[OffsetDeleteRequestPartition] = field([OffsetDeleteRequestPartition], "0+")

    group_id: str = field("string", "0+")
    topics: Sequence[OffsetDeleteRequestTopic] = field([OffsetDeleteRequestTopic], "0+")


class OffsetDeleteResponse(Message, api_key=47, versions="0", flexible="none"):
    """Whether each offset was deleted."""

    class OffsetDeleteResponseTopic(Structure):
        class OffsetDeleteResponsePartition(Structure):
            partition_index: int = field("int32", "0+")
            error_code: int = field("int16", "0+")

        name: str = field("string", "0+")
        partitions: Sequence[OffsetDeleteResponsePartition] = field([OffsetDeleteResponsePartition], "0+")

    error_code: int = field("int16", "0+")
    throttle_time_ms: int = field("int32", "0+")
    topics: Sequence[OffsetDeleteResponseTopic] = field([OffsetDeleteResponseTopic], "0+")
