from kafka.protocol.api_message import ApiMessage
from kafka.protocol.data_container import DataContainer

from kafka_nextgen.types import TopicId

__all__ = [
    "ConsumerGroupHeartbeatRequest",
    "ConsumerGroupHeartbeatResponse",
]

class ConsumerGroupHeartbeatRequest(ApiMessage):
    class TopicPartitions(DataContainer):
        topic_id: TopicId | None
        partitions: list[int]
        def __init__(self, *, topic_id: TopicId, partitions: list[int]) -> None: ...

    class ClientAssignor(DataContainer):
        name: str
        minimum_version: int
        maximum_version: int
        reason: int
        metadata_version: int
        metadata_bytes: bytes
        def __init__(
            self,
            *,
            name: str = ...,
            minimum_version: int = ...,
            maximum_version: int = ...,
            reason: int = ...,
            metadata_version: int = ...,
            metadata_bytes: bytes = ...,
        ) -> None: ...

    API_VERSION: int
    group_id: str
    member_id: str
    member_epoch: int
    instance_id: str | None
    rack_id: str | None
    rebalance_timeout_ms: int
    subscribed_topic_names: list[str] | None
    subscribed_topic_regex: str | None
    server_assignor: str | None
    topic_partitions: list[TopicPartitions] | None
    client_assignors: list[ClientAssignor] | None
    join_reason: int
    def __init__(
        self,
        *,
        group_id: str = ...,
        member_id: str = ...,
        member_epoch: int = ...,
        instance_id: str | None = ...,
        rack_id: str | None = ...,
        rebalance_timeout_ms: int = ...,
        subscribed_topic_names: list[str] | None = ...,
        subscribed_topic_regex: str | None = ...,
        server_assignor: str | None = ...,
        topic_partitions: list[TopicPartitions] | None = ...,
        client_assignors: list[ClientAssignor] | None = ...,
        join_reason: int = ...,
        version: int | None = ...,
    ) -> None: ...

class ConsumerGroupHeartbeatResponse(ApiMessage):
    class Assignment(DataContainer):
        class TopicPartitions(DataContainer):
            topic_id: TopicId | None
            partitions: list[int]
            def __init__(self, *, topic_id: TopicId, partitions: list[int]) -> None: ...

        class PendingTopicPartitions(DataContainer):
            topic_id: TopicId | None
            partitions: list[int]
            def __init__(self, *, topic_id: TopicId, partitions: list[int]) -> None: ...

        topic_partitions: list[TopicPartitions]
        error: int
        pending_topic_partitions: list[PendingTopicPartitions]
        metadata_version: int
        metadata_bytes: bytes | None
        assignor_name: str | None
        def __init__(
            self,
            *,
            topic_partitions: list[TopicPartitions],
            error: int = ...,
            pending_topic_partitions: list[PendingTopicPartitions] = ...,
            metadata_version: int = ...,
            metadata_bytes: bytes | None = ...,
            assignor_name: str | None = ...,
        ) -> None: ...

    API_VERSION: int
    throttle_time_ms: int
    error_code: int
    error_message: str | None
    member_id: str | None
    member_epoch: int
    heartbeat_interval_ms: int
    assignment: Assignment | None
    should_compute_assignment: bool
    assignment_message: str | None
    def __init__(
        self,
        *,
        throttle_time_ms: int = ...,
        error_code: int = ...,
        error_message: str | None = ...,
        member_id: str | None = ...,
        member_epoch: int = ...,
        heartbeat_interval_ms: int = ...,
        assignment: Assignment | None = ...,
        should_compute_assignment: bool = ...,
        assignment_message: str | None = ...,
        version: int | None = ...,
    ) -> None: ...
