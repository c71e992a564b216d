from kafka.protocol.api_message import ApiMessage
from kafka.protocol.data_container import DataContainer

from kafka_nextgen.types import TopicId

__all__ = [
    "ConsumerGroupAddMembersRequest",
    "ConsumerGroupAddMembersResponse",
    "ConsumerGroupHistoryRequest",
    "ConsumerGroupHistoryResponse",
    "ConsumerGroupInstallAssignmentRequest",
    "ConsumerGroupInstallAssignmentResponse",
    "ConsumerGroupPrepareAssignmentRequest",
    "ConsumerGroupPrepareAssignmentResponse",
]

class ConsumerGroupPrepareAssignmentRequest(ApiMessage):
    API_VERSION: int
    group_id: str
    member_id: str
    member_epoch: int
    def __init__(
        self, *, group_id: str = ..., member_id: str = ..., member_epoch: int = ..., version: int | None = ...
    ) -> None: ...

class ConsumerGroupPrepareAssignmentResponse(ApiMessage):
    class Member(DataContainer):
        class Assignor(DataContainer):
            reason: int
            metadata_version: int
            metadata_bytes: bytes
            def __init__(
                self, *, reason: int = ..., metadata_version: int = ..., metadata_bytes: bytes = ...
            ) -> None: ...

        class TopicPartitions(DataContainer):
            topic_id: TopicId | None
            partitions: list[int]
            def __init__(self, *, topic_id: TopicId, partitions: list[int]) -> None: ...

        member_id: str
        member_epoch: int
        instance_id: str | None
        rack_id: str | None
        subscribed_topic_ids: list[TopicId | None]
        assignor: Assignor
        topic_partitions: list[TopicPartitions]
        def __init__(
            self,
            *,
            member_id: str = ...,
            member_epoch: int = ...,
            instance_id: str | None = ...,
            rack_id: str | None = ...,
            subscribed_topic_ids: list[TopicId] = ...,
            assignor: Assignor,
            topic_partitions: list[TopicPartitions] = ...,
        ) -> None: ...

    class Topic(DataContainer):
        class PartitionRacks(DataContainer):
            racks: list[str]
            def __init__(self, *, racks: list[str] = ...) -> None: ...

        topic_id: TopicId | None
        topic_name: str
        num_partitions: int
        partition_racks: list[PartitionRacks]
        def __init__(
            self,
            *,
            topic_id: TopicId,
            topic_name: str = ...,
            num_partitions: int = ...,
            partition_racks: list[PartitionRacks] = ...,
        ) -> None: ...

    API_VERSION: int
    throttle_time_ms: int
    error_code: int
    error_message: str | None
    group_epoch: int
    assignor_name: str
    members: list[Member]
    topics: list[Topic]
    def __init__(
        self,
        *,
        throttle_time_ms: int = ...,
        error_code: int = ...,
        error_message: str | None = ...,
        group_epoch: int = ...,
        assignor_name: str = ...,
        members: list[Member] = ...,
        topics: list[Topic] = ...,
        version: int | None = ...,
    ) -> None: ...

class ConsumerGroupInstallAssignmentRequest(ApiMessage):
    class Member(DataContainer):
        class TopicPartitions(DataContainer):
            topic_id: TopicId | None
            partitions: list[int]
            def __init__(self, *, topic_id: TopicId, partitions: list[int]) -> None: ...

        member_id: str
        partitions: list[TopicPartitions]
        metadata_version: int
        metadata_bytes: bytes | None
        def __init__(
            self,
            *,
            member_id: str = ...,
            partitions: list[TopicPartitions] = ...,
            metadata_version: int = ...,
            metadata_bytes: bytes | None = ...,
        ) -> None: ...

    API_VERSION: int
    group_id: str
    member_id: str
    member_epoch: int
    group_epoch: int
    error: int
    error_message: str | None
    members: list[Member]
    def __init__(
        self,
        *,
        group_id: str = ...,
        member_id: str = ...,
        member_epoch: int = ...,
        group_epoch: int = ...,
        error: int = ...,
        error_message: str | None = ...,
        members: list[Member] = ...,
        version: int | None = ...,
    ) -> None: ...

class ConsumerGroupInstallAssignmentResponse(ApiMessage):
    API_VERSION: int
    throttle_time_ms: int
    error_code: int
    error_message: str | None
    def __init__(
        self,
        *,
        throttle_time_ms: int = ...,
        error_code: int = ...,
        error_message: str | None = ...,
        version: int | None = ...,
    ) -> None: ...

class ConsumerGroupAddMembersRequest(ApiMessage):
    class ExpectedMember(DataContainer):
        instance_id: str
        session_timeout_ms: int
        rebalance_timeout_ms: int
        assignor: str | None
        def __init__(
            self,
            *,
            instance_id: str = ...,
            session_timeout_ms: int = ...,
            rebalance_timeout_ms: int = ...,
            assignor: str | None = ...,
        ) -> None: ...

    API_VERSION: int
    group_id: str
    members: list[ExpectedMember]
    timeout_ms: int
    def __init__(
        self,
        *,
        group_id: str = ...,
        members: list[ExpectedMember] = ...,
        timeout_ms: int = ...,
        version: int | None = ...,
    ) -> None: ...

class ConsumerGroupAddMembersResponse(ApiMessage):
    class AddedMember(DataContainer):
        instance_id: str
        error_code: int
        error_message: str | None
        def __init__(
            self, *, instance_id: str = ..., error_code: int = ..., error_message: str | None = ...
        ) -> None: ...

    API_VERSION: int
    throttle_time_ms: int
    error_code: int
    error_message: str | None
    members: list[AddedMember]
    def __init__(
        self,
        *,
        throttle_time_ms: int = ...,
        error_code: int = ...,
        error_message: str | None = ...,
        members: list[AddedMember] = ...,
        version: int | None = ...,
    ) -> None: ...

class ConsumerGroupHistoryRequest(ApiMessage):
    API_VERSION: int
    group_id: str
    def __init__(self, *, group_id: str = ..., version: int | None = ...) -> None: ...

class ConsumerGroupHistoryResponse(ApiMessage):
    class Rebalance(DataContainer):
        number: int
        reason: int
        member_id: str
        instance_id: str | None
        join_reason: int
        text: str
        cause_timestamp: int
        is_classic: bool
        epoch: int
        target_epoch: int
        assignment_timestamp: int
        def __init__(
            self,
            *,
            number: int = ...,
            reason: int = ...,
            member_id: str = ...,
            instance_id: str | None = ...,
            join_reason: int = ...,
            text: str = ...,
            cause_timestamp: int = ...,
            is_classic: bool = ...,
            epoch: int = ...,
            target_epoch: int = ...,
            assignment_timestamp: int = ...,
        ) -> None: ...

    API_VERSION: int
    throttle_time_ms: int
    error_code: int
    error_message: str | None
    rebalances: list[Rebalance]
    def __init__(
        self,
        *,
        throttle_time_ms: int = ...,
        error_code: int = ...,
        error_message: str | None = ...,
        rebalances: list[Rebalance] = ...,
        version: int | None = ...,
    ) -> None: ...
