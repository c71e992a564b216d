from kafka.protocol.api_message import ApiMessage
from kafka.protocol.data_container import DataContainer

from kafka_nextgen.types import TopicId

__all__ = ["ConsumerGroupDescribeRequest", "ConsumerGroupDescribeResponse"]

class ConsumerGroupDescribeRequest(ApiMessage):
    API_VERSION: int
    group_ids: list[str]
    include_authorized_operations: bool
    def __init__(
        self, *, group_ids: list[str] = ..., include_authorized_operations: bool = ..., version: int | None = ...
    ) -> None: ...

class ConsumerGroupDescribeResponse(ApiMessage):
    class DescribedGroup(DataContainer):
        class ExpectedMember(DataContainer):
            instance_id: str
            has_joined: bool
            expected_until: int
            def __init__(
                self, *, instance_id: str = ..., has_joined: bool = ..., expected_until: int = ...
            ) -> None: ...

        class Member(DataContainer):
            class Assignment(DataContainer):
                class TopicPartitions(DataContainer):
                    topic_id: TopicId | None
                    topic_name: str
                    partitions: list[int]
                    def __init__(self, *, topic_id: TopicId, topic_name: str, partitions: list[int]) -> None: ...

                topic_partitions: list[TopicPartitions]
                error: int
                metadata_version: int
                metadata_bytes: bytes | None
                def __init__(
                    self,
                    *,
                    topic_partitions: list[TopicPartitions],
                    error: int = ...,
                    metadata_version: int = ...,
                    metadata_bytes: bytes | None = ...,
                ) -> None: ...

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

            member_id: str
            instance_id: str | None
            rack_id: str | None
            member_epoch: int
            client_id: str
            client_host: str
            subscribed_topic_names: list[str]
            subscribed_topic_regex: str | None
            assignment: Assignment
            target_assignment: Assignment
            member_type: int
            client_assignors: list[ClientAssignor]
            def __init__(
                self,
                *,
                member_id: str = ...,
                instance_id: str | None = ...,
                rack_id: str | None = ...,
                member_epoch: int = ...,
                client_id: str = ...,
                client_host: str = ...,
                subscribed_topic_names: list[str] = ...,
                subscribed_topic_regex: str | None = ...,
                assignment: Assignment,
                target_assignment: Assignment,
                member_type: int = ...,
                client_assignors: list[ClientAssignor] = ...,
            ) -> None: ...

        error_code: int
        error_message: str | None
        group_id: str
        group_state: str
        group_epoch: int
        assignment_epoch: int
        assignor_name: str
        members: list[Member]
        authorized_operations: int
        expected_members: list[ExpectedMember]
        def __init__(
            self,
            *,
            error_code: int = ...,
            error_message: str | None = ...,
            group_id: str = ...,
            group_state: str = ...,
            group_epoch: int = ...,
            assignment_epoch: int = ...,
            assignor_name: str = ...,
            members: list[Member] = ...,
            authorized_operations: int = ...,
            expected_members: list[ExpectedMember] = ...,
        ) -> None: ...

    API_VERSION: int
    throttle_time_ms: int
    groups: list[DescribedGroup]
    def __init__(
        self, *, throttle_time_ms: int = ..., groups: list[DescribedGroup] = ..., version: int | None = ...
    ) -> None: ...
