"""Members of the consumer group protocol (KIP-848)."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID  # noqa: TID251  (only the type; no id is made here)

from kafka_nextgen.wire.schema import Message, Structure, field


class TopicPartitions(Structure):
    """Partitions of a topic, in messages that contain its id."""

    topic_id: UUID | None = field("uuid", "0+")
    partitions: Sequence[int] = field(["int32"], "0+")


class ClientAssignor(Structure):
    """An assignor that a member can run, an extension."""

    name: str = field("string", "0+")
    minimum_version: int = field("int16", "0+")
    maximum_version: int = field("int16", "0+")
    reason: int = field("int8", "0+")
    metadata_version: int = field("int16", "0+")
    metadata_bytes: bytes = field("bytes", "0+")


class ConsumerGroupHeartbeatRequest(Message, api_key=68, versions="0-1", flexible="0+"):
    """KIP-848, "ConsumerGroupHeartbeat API": join, stay or leave. Version 1 adds patterns and member ids made by the
    client."""

    group_id: str = field("string", "0+")
    member_id: str = field("string", "0+")
    member_epoch: int = field("int32", "0+")
    instance_id: str | None = field("string", "0+", nullable="0+", default=None)
    rack_id: str | None = field("string", "0+", nullable="0+", default=None)
    rebalance_timeout_ms: int = field("int32", "0+", default=-1)
    subscribed_topic_names: Sequence[str] | None = field(["string"], "0+", nullable="0+", default=None)
    subscribed_topic_regex: str | None = field("string", "1+", nullable="1+", default=None)
    server_assignor: str | None = field("string", "0+", nullable="0+", default=None)
    topic_partitions: Sequence[TopicPartitions] | None = field([TopicPartitions], "0+", nullable="0+", default=None)
    client_assignors: Sequence[ClientAssignor] | None = field(
        [ClientAssignor], "0+", nullable="0+", tag=10000, default=None
    )
    join_reason: int = field("int8", "0+", tag=10001)
    standby_state: int = field("int8", "0+", tag=10002)


class ConsumerGroupHeartbeatResponse(Message, api_key=68, versions="0-1", flexible="0+"):
    """KIP-848, "ConsumerGroupHeartbeat API": the member's epoch, and its assignment if it changed."""

    class Assignment(Structure):
        topic_partitions: Sequence[TopicPartitions] = field([TopicPartitions], "0+")
        error: int = field("int8", "0+", tag=10000)
        pending_topic_partitions: Sequence[TopicPartitions] = field([TopicPartitions], "0+", tag=10001)
        metadata_version: int = field("int16", "0+", tag=10002)
        metadata_bytes: bytes | None = field("bytes", "0+", nullable="0+", tag=10003, default=None)
        assignor_name: str | None = field("string", "0+", nullable="0+", tag=10004, default=None)

    throttle_time_ms: int = field("int32", "0+")
    error_code: int = field("int16", "0+")
    error_message: str | None = field("string", "0+", nullable="0+", default=None)
    member_id: str | None = field("string", "0+", nullable="0+", default=None)
    member_epoch: int = field("int32", "0+")
    heartbeat_interval_ms: int = field("int32", "0+")
    assignment: Assignment | None = field(Assignment, "0+", nullable="0+")
    should_compute_assignment: bool = field("bool", "0+", tag=10000)
    assignment_message: str | None = field("string", "0+", nullable="0+", tag=10001, default=None)
    standby_place: int = field("int32", "0+", tag=10002)
