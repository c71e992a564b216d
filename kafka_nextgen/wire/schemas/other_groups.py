"""Share groups (KIP-932) and streams groups (KIP-1071)."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID  # noqa: TID251  (only the type; no id is made here)

from kafka_nextgen.wire.schema import Message, Structure, field


class ShareGroupDescribeRequest(Message, api_key=77, versions="1", flexible="0+"):
    """Describe share groups. Version 0 was a preview in Kafka 4.0."""

    group_ids: Sequence[str] = field(["string"], "0+")
    include_authorized_operations: bool = field("bool", "0+")


class ShareGroupDescribeResponse(Message, api_key=77, versions="1", flexible="0+"):
    """Share groups and their members."""

    class DescribedGroup(Structure):
        class Member(Structure):
            class Assignment(Structure):
                class TopicPartitions(Structure):
                    topic_id: UUID | None = field("uuid", "0+")
                    topic_name: str = field("string", "0+")
                    partitions: Sequence[int] = field(["int32"], "0+")

                topic_partitions: Sequence[TopicPartitions] = field([TopicPartitions], "0+")

            member_id: str = field("string", "0+")
            rack_id: str | None = field("string", "0+", nullable="0+", default=None)
            member_epoch: int = field("int32", "0+")
            client_id: str = field("string", "0+")
            client_host: str = field("string", "0+")
            subscribed_topic_names: Sequence[str] = field(["string"], "0+")
            assignment: Assignment = field(Assignment, "0+")

        error_code: int = field("int16", "0+")
        error_message: str | None = field("string", "0+", nullable="0+", default=None)
        group_id: str = field("string", "0+")
        group_state: str = field("string", "0+")
        group_epoch: int = field("int32", "0+")
        assignment_epoch: int = field("int32", "0+")
        assignor_name: str = field("string", "0+")
        members: Sequence[Member] = field([Member], "0+")
        authorized_operations: frozenset[int] | None = field("bitfield", "0+")

    throttle_time_ms: int = field("int32", "0+")
    groups: Sequence[DescribedGroup] = field([DescribedGroup], "0+")


class StreamsGroupDescribeRequest(Message, api_key=89, versions="0", flexible="0+"):
    """Describe streams groups. Version 1 adds data from the plugin of KIP-1331, which we do not request."""

    group_ids: Sequence[str] = field(["string"], "0+")
    include_authorized_operations: bool = field("bool", "0+")


class StreamsGroupDescribeResponse(Message, api_key=89, versions="0", flexible="0+"):
    """Streams groups, their topologies and members."""

    class DescribedGroup(Structure):
        class Topology(Structure):
            class Subtopology(Structure):
                class TopicInfo(Structure):
                    class KeyValue(Structure):
                        key: str = field("string", "0+")
                        value: str = field("string", "0+")

                    name: str = field("string", "0+")
                    partitions: int = field("int32", "0+")
                    replication_factor: int = field("int16", "0+")
                    topic_configs: Sequence[KeyValue] = field([KeyValue], "0+")

                subtopology_id: str = field("string", "0+")
                source_topics: Sequence[str] = field(["string"], "0+")
                repartition_sink_topics: Sequence[str] = field(["string"], "0+")
                state_changelog_topics: Sequence[TopicInfo] = field([TopicInfo], "0+")
                repartition_source_topics: Sequence[TopicInfo] = field([TopicInfo], "0+")

            epoch: int = field("int32", "0+")
            subtopologies: Sequence[Subtopology] | None = field([Subtopology], "0+", nullable="0+", default=None)

        class Member(Structure):
            class Endpoint(Structure):
                host: str = field("string", "0+")
                port: int = field("uint16", "0+")

            class ClientTag(Structure):
                key: str = field("string", "0+")
                value: str = field("string", "0+")

            class TaskOffset(Structure):
                subtopology_id: str = field("string", "0+")
                partition: int = field("int32", "0+")
                offset: int = field("int64", "0+")

            class Assignment(Structure):
                class TaskIds(Structure):
                    subtopology_id: str = field("string", "0+")
                    partitions: Sequence[int] = field(["int32"], "0+")

                active_tasks: Sequence[TaskIds] = field([TaskIds], "0+")
                standby_tasks: Sequence[TaskIds] = field([TaskIds], "0+")
                warmup_tasks: Sequence[TaskIds] = field([TaskIds], "0+")

            member_id: str = field("string", "0+")
            member_epoch: int = field("int32", "0+")
            instance_id: str | None = field("string", "0+", nullable="0+", default=None)
            rack_id: str | None = field("string", "0+", nullable="0+", default=None)
            client_id: str = field("string", "0+")
            client_host: str = field("string", "0+")
            topology_epoch: int = field("int32", "0+")
            process_id: str = field("string", "0+")
            user_endpoint: Endpoint | None = field(Endpoint, "0+", nullable="0+", default=None)
            client_tags: Sequence[ClientTag] = field([ClientTag], "0+")
            task_offsets: Sequence[TaskOffset] = field([TaskOffset], "0+")
            task_end_offsets: Sequence[TaskOffset] = field([TaskOffset], "0+")
            assignment: Assignment = field(Assignment, "0+")
            target_assignment: Assignment = field(Assignment, "0+")
            is_classic: bool = field("bool", "0+")

        error_code: int = field("int16", "0+")
        error_message: str | None = field("string", "0+", nullable="0+", default=None)
        group_id: str = field("string", "0+")
        group_state: str = field("string", "0+")
        group_epoch: int = field("int32", "0+")
        assignment_epoch: int = field("int32", "0+")
        topology: Topology | None = field(Topology, "0+", nullable="0+", default=None)
        members: Sequence[Member] = field([Member], "0+")
        authorized_operations: frozenset[int] | None = field("bitfield", "0+")

    throttle_time_ms: int = field("int32", "0+")
    groups: Sequence[DescribedGroup] = field([DescribedGroup], "0+")


class DescribeShareGroupOffsetsRequest(Message, api_key=90, versions="0-1", flexible="0+"):
    """Request the offsets of share groups. A null topics array requests all partitions."""

    class DescribeShareGroupOffsetsRequestGroup(Structure):
        class DescribeShareGroupOffsetsRequestTopic(Structure):
            topic_name: str = field("string", "0+")
            partitions: Sequence[int] = field(["int32"], "0+")

        group_id: str = field("string", "0+")
        topics: Sequence[DescribeShareGroupOffsetsRequestTopic] | None = field(
            [DescribeShareGroupOffsetsRequestTopic], "0+", nullable="0+", default=None
        )

    groups: Sequence[DescribeShareGroupOffsetsRequestGroup] = field([DescribeShareGroupOffsetsRequestGroup], "0+")


class DescribeShareGroupOffsetsResponse(Message, api_key=90, versions="0-1", flexible="0+"):
    """The first unacknowledged offset in each partition; version 1 adds the lag (KIP-1226)."""

    class DescribeShareGroupOffsetsResponseGroup(Structure):
        class DescribeShareGroupOffsetsResponseTopic(Structure):
            class DescribeShareGroupOffsetsResponsePartition(Structure):
                partition_index: int = field("int32", "0+")
                start_offset: int = field("int64", "0+")
                leader_epoch: int = field("int32", "0+")
                lag: int = field("int64", "1+", default=-1)
                error_code: int = field("int16", "0+")
                error_message: str | None = field("string", "0+", nullable="0+", default=None)

            topic_name: str = field("string", "0+")
            topic_id: UUID | None = field("uuid", "0+")
            partitions: Sequence[DescribeShareGroupOffsetsResponsePartition] = field(
                [DescribeShareGroupOffsetsResponsePartition], "0+"
            )

        group_id: str = field("string", "0+")
        topics: Sequence[DescribeShareGroupOffsetsResponseTopic] = field([DescribeShareGroupOffsetsResponseTopic], "0+")
        error_code: int = field("int16", "0+")
        error_message: str | None = field("string", "0+", nullable="0+", default=None)

    throttle_time_ms: int = field("int32", "0+")
    groups: Sequence[DescribeShareGroupOffsetsResponseGroup] = field([DescribeShareGroupOffsetsResponseGroup], "0+")
