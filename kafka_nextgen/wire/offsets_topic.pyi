from collections.abc import Mapping
from typing import TypeVar

from kafka.protocol.api_data import ApiData
from kafka.protocol.data_container import DataContainer

from kafka_nextgen.types import TopicId

__all__ = [
    "ConsumerGroupClassicMemberMetadata",
    "ConsumerGroupClientAssignors",
    "ConsumerGroupCurrentMemberAssignmentKey",
    "ConsumerGroupCurrentMemberAssignmentValue",
    "ConsumerGroupMemberMetadataKey",
    "ConsumerGroupMemberMetadataValue",
    "ConsumerGroupMetadataKey",
    "ConsumerGroupMetadataValue",
    "ConsumerGroupRegularExpressionKey",
    "ConsumerGroupRegularExpressionValue",
    "ConsumerGroupTargetAssignmentMemberKey",
    "ConsumerGroupTargetAssignmentMemberValue",
    "ConsumerGroupTargetAssignmentMetadataKey",
    "ConsumerGroupTargetAssignmentMetadataValue",
    "ExpectedMembersKey",
    "ExpectedMembersValue",
    "GroupMetadataKey",
    "GroupMetadataValue",
    "OffsetCommitKey",
    "OffsetCommitValue",
    "add_tags",
    "decode_message",
    "decode_nullable",
    "decode_tagged",
    "encode_message",
    "encode_nullable",
    "encode_tagged",
    "read_number",
]

M = TypeVar("M", bound=ApiData)

class OffsetCommitKey(ApiData):
    group: str
    topic: str
    partition: int
    def __init__(self, *, group: str = ..., topic: str = ..., partition: int = ...) -> None: ...

class OffsetCommitValue(ApiData):
    offset: int
    leader_epoch: int
    metadata: str
    commit_timestamp: int
    expire_timestamp: int
    topic_id: TopicId | None
    def __init__(
        self,
        *,
        offset: int = ...,
        leader_epoch: int = ...,
        metadata: str = ...,
        commit_timestamp: int = ...,
        expire_timestamp: int = ...,
        topic_id: TopicId | None = ...,
    ) -> None: ...

class GroupMetadataKey(ApiData):
    group: str
    def __init__(self, *, group: str = ...) -> None: ...

class GroupMetadataValue(ApiData):
    class MemberMetadata(DataContainer):
        member_id: str
        group_instance_id: str | None
        client_id: str
        client_host: str
        rebalance_timeout: int
        session_timeout: int
        subscription: bytes
        assignment: bytes
        def __init__(
            self,
            *,
            member_id: str = ...,
            group_instance_id: str | None = ...,
            client_id: str = ...,
            client_host: str = ...,
            rebalance_timeout: int = ...,
            session_timeout: int = ...,
            subscription: bytes = ...,
            assignment: bytes = ...,
        ) -> None: ...

    protocol_type: str
    generation: int
    protocol: str | None
    leader: str | None
    current_state_timestamp: int
    members: list[MemberMetadata]
    def __init__(
        self,
        *,
        protocol_type: str = ...,
        generation: int = ...,
        protocol: str | None = ...,
        leader: str | None = ...,
        current_state_timestamp: int = ...,
        members: list[MemberMetadata] = ...,
    ) -> None: ...

class ConsumerGroupMetadataKey(ApiData):
    group_id: str
    def __init__(self, *, group_id: str = ...) -> None: ...

class ConsumerGroupMetadataValue(ApiData):
    epoch: int
    metadata_hash: int
    def __init__(self, *, epoch: int = ..., metadata_hash: int = ...) -> None: ...

class ConsumerGroupMemberMetadataKey(ApiData):
    group_id: str
    member_id: str
    def __init__(self, *, group_id: str = ..., member_id: str = ...) -> None: ...

class ConsumerGroupMemberMetadataValue(ApiData):
    instance_id: str | None
    rack_id: str | None
    client_id: str
    client_host: str
    subscribed_topic_names: list[str]
    subscribed_topic_regex: str | None
    rebalance_timeout_ms: int
    server_assignor: str | None
    def __init__(
        self,
        *,
        instance_id: str | None = ...,
        rack_id: str | None = ...,
        client_id: str = ...,
        client_host: str = ...,
        subscribed_topic_names: list[str] = ...,
        subscribed_topic_regex: str | None = ...,
        rebalance_timeout_ms: int = ...,
        server_assignor: str | None = ...,
    ) -> None: ...

class ConsumerGroupTargetAssignmentMetadataKey(ApiData):
    group_id: str
    def __init__(self, *, group_id: str = ...) -> None: ...

class ConsumerGroupTargetAssignmentMetadataValue(ApiData):
    assignment_epoch: int
    assignment_timestamp: int
    error: int
    assignor_name: str | None
    def __init__(
        self,
        *,
        assignment_epoch: int = ...,
        assignment_timestamp: int = ...,
        error: int = ...,
        assignor_name: str | None = ...,
    ) -> None: ...

class ConsumerGroupTargetAssignmentMemberKey(ApiData):
    group_id: str
    member_id: str
    def __init__(self, *, group_id: str = ..., member_id: str = ...) -> None: ...

class ConsumerGroupTargetAssignmentMemberValue(ApiData):
    class TopicPartition(DataContainer):
        topic_id: TopicId | None
        partitions: list[int]
        def __init__(self, *, topic_id: TopicId | None = ..., partitions: list[int] = ...) -> None: ...

    topic_partitions: list[TopicPartition]
    metadata_version: int
    metadata_bytes: bytes | None
    def __init__(
        self,
        *,
        topic_partitions: list[TopicPartition] = ...,
        metadata_version: int = ...,
        metadata_bytes: bytes | None = ...,
    ) -> None: ...

class ConsumerGroupCurrentMemberAssignmentKey(ApiData):
    group_id: str
    member_id: str
    def __init__(self, *, group_id: str = ..., member_id: str = ...) -> None: ...

class ConsumerGroupCurrentMemberAssignmentValue(ApiData):
    class TopicPartitions(DataContainer):
        topic_id: TopicId | None
        partitions: list[int]
        assignment_epochs: list[int] | None
        def __init__(
            self,
            *,
            topic_id: TopicId | None = ...,
            partitions: list[int] = ...,
            assignment_epochs: list[int] | None = ...,
        ) -> None: ...

    member_epoch: int
    previous_member_epoch: int
    state: int
    assigned_partitions: list[TopicPartitions]
    partitions_pending_revocation: list[TopicPartitions]
    def __init__(
        self,
        *,
        member_epoch: int = ...,
        previous_member_epoch: int = ...,
        state: int = ...,
        assigned_partitions: list[TopicPartitions] = ...,
        partitions_pending_revocation: list[TopicPartitions] = ...,
    ) -> None: ...

class ConsumerGroupRegularExpressionKey(ApiData):
    group_id: str
    regular_expression: str
    def __init__(self, *, group_id: str = ..., regular_expression: str = ...) -> None: ...

class ConsumerGroupRegularExpressionValue(ApiData):
    topics: list[str]
    topics_version: int
    timestamp: int
    def __init__(self, *, topics: list[str] = ..., topics_version: int = ..., timestamp: int = ...) -> None: ...

class GroupRebalanceKey(ApiData):
    group_id: str
    slot: int
    def __init__(self, *, group_id: str = ..., slot: int = ...) -> None: ...

class GroupRebalanceValue(ApiData):
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

class ConsumerGroupClassicMemberMetadata(ApiData):
    class ClassicProtocol(DataContainer):
        name: str
        metadata: bytes
        def __init__(self, *, name: str = ..., metadata: bytes = ...) -> None: ...

    session_timeout_ms: int
    supported_protocols: list[ClassicProtocol]
    def __init__(self, *, session_timeout_ms: int = ..., supported_protocols: list[ClassicProtocol] = ...) -> None: ...

class ConsumerGroupClientAssignors(ApiData):
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

    assignors: list[ClientAssignor]
    def __init__(self, *, assignors: list[ClientAssignor] = ...) -> None: ...

class ExpectedMembersKey(ApiData):
    group_id: str
    def __init__(self, *, group_id: str = ...) -> None: ...

class ExpectedMembersValue(ApiData):
    class Place(DataContainer):
        instance_id: str
        kept_until: int
        rebalance_timeout_ms: int
        assignor: str | None
        def __init__(
            self,
            *,
            instance_id: str = ...,
            kept_until: int = ...,
            rebalance_timeout_ms: int = ...,
            assignor: str | None = ...,
        ) -> None: ...

    places: list[Place]
    def __init__(self, *, places: list[Place] = ...) -> None: ...

def encode_message(number: int, message: ApiData, version: int) -> bytes: ...
def read_number(data: bytes, where: str) -> int: ...
def decode_message(message: type[M], data: bytes, version: int) -> M: ...
def add_tags(value: bytes, contents: Mapping[int, bytes]) -> bytes: ...
def encode_tagged(structure: ApiData) -> bytes: ...
def encode_nullable(structure: ApiData | None) -> bytes: ...
def decode_tagged(structure: type[M], value: ApiData, tag: int) -> M | None: ...
def decode_nullable(structure: type[M], value: ApiData, tag: int) -> M | None: ...
