"""Requests that any broker can answer, which a client sends to find the right broker."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID  # noqa: TID251  (only the type; no id is made here)

from kafka_nextgen.wire.schema import Message, Structure, field


class ApiVersionsRequest(Message, api_key=18, versions="0-5", flexible="3+"):
    """Request the broker's APIs and their versions (KIP-35, KIP-511), and check that it is the right broker
    (KIP-1242)."""

    client_software_name: str = field("string", "3+")
    client_software_version: str = field("string", "3+")
    cluster_id: str | None = field("string", "5+", nullable="5+", default=None)
    node_id: int = field("int32", "5+", default=-1)


class ApiVersionsResponse(Message, api_key=18, versions="0-5", flexible="3+"):
    """The version range of each API, and the features of the cluster (KIP-584)."""

    class ApiVersion(Structure):
        api_key: int = field("int16", "0+")
        min_version: int = field("int16", "0+")
        max_version: int = field("int16", "0+")

    class SupportedFeatureKey(Structure):
        name: str = field("string", "3+")
        min_version: int = field("int16", "3+")
        max_version: int = field("int16", "3+")

    class FinalizedFeatureKey(Structure):
        name: str = field("string", "3+")
        max_version_level: int = field("int16", "3+")
        min_version_level: int = field("int16", "3+")

    error_code: int = field("int16", "0+")
    api_keys: Sequence[ApiVersion] = field([ApiVersion], "0+")
    throttle_time_ms: int = field("int32", "1+")
    supported_features: Sequence[SupportedFeatureKey] = field([SupportedFeatureKey], "3+", tag=0)
    finalized_features_epoch: int = field("int64", "3+", tag=1, default=-1)
    finalized_features: Sequence[FinalizedFeatureKey] = field([FinalizedFeatureKey], "3+", tag=2)
    zk_migration_ready: bool = field("bool", "3+", tag=3)


class MetadataRequest(Message, api_key=3, versions="0-13", flexible="9+"):
    """Describe brokers and topics. A null topics array requests all topics; in version 0, an empty array does."""

    class MetadataRequestTopic(Structure):
        topic_id: UUID | None = field("uuid", "10+")
        name: str | None = field("string", "0+", nullable="10+")

    topics: Sequence[MetadataRequestTopic] | None = field([MetadataRequestTopic], "0+", nullable="1+")
    allow_auto_topic_creation: bool = field("bool", "4+", default=True)
    include_cluster_authorized_operations: bool = field("bool", "8-10")
    include_topic_authorized_operations: bool = field("bool", "8+")


class MetadataResponse(Message, api_key=3, versions="0-13", flexible="9+"):
    """The brokers, and the partitions of topics with their leaders."""

    class MetadataResponseBroker(Structure):
        node_id: int = field("int32", "0+")
        host: str = field("string", "0+")
        port: int = field("int32", "0+")
        rack: str | None = field("string", "1+", nullable="1+", default=None)

    class MetadataResponseTopic(Structure):
        class MetadataResponsePartition(Structure):
            error_code: int = field("int16", "0+")
            partition_index: int = field("int32", "0+")
            leader_id: int = field("int32", "0+")
            leader_epoch: int = field("int32", "7+", default=-1)
            replica_nodes: Sequence[int] = field(["int32"], "0+")
            isr_nodes: Sequence[int] = field(["int32"], "0+")
            offline_replicas: Sequence[int] = field(["int32"], "5+")

        error_code: int = field("int16", "0+")
        name: str | None = field("string", "0+", nullable="12+")
        topic_id: UUID | None = field("uuid", "10+")
        is_internal: bool = field("bool", "1+")
        partitions: Sequence[MetadataResponsePartition] = field([MetadataResponsePartition], "0+")
        authorized_operations: frozenset[int] | None = field("bitfield", "8+")

    throttle_time_ms: int = field("int32", "3+")
    brokers: Sequence[MetadataResponseBroker] = field([MetadataResponseBroker], "0+")
    cluster_id: str | None = field("string", "2+", nullable="2+", default=None)
    controller_id: int = field("int32", "1+", default=-1)
    topics: Sequence[MetadataResponseTopic] = field([MetadataResponseTopic], "0+")
    authorized_operations: frozenset[int] | None = field("bitfield", "8-10")
    error_code: int = field("int16", "13+")


class FindCoordinatorRequest(Message, api_key=10, versions="0-6", flexible="3+"):
    """Find the coordinators of groups or transactional ids."""

    key: str = field("string", "0-3")
    key_type: int = field("int8", "1+")
    coordinator_keys: Sequence[str] = field(["string"], "4+")


class FindCoordinatorResponse(Message, api_key=10, versions="0-6", flexible="3+"):
    """The coordinators. Versions up to 3 request one key and return one coordinator."""

    class Coordinator(Structure):
        key: str = field("string", "4+")
        node_id: int = field("int32", "4+")
        host: str = field("string", "4+")
        port: int = field("int32", "4+")
        error_code: int = field("int16", "4+")
        error_message: str | None = field("string", "4+", nullable="4+")

    throttle_time_ms: int = field("int32", "1+")
    error_code: int = field("int16", "0-3")
    error_message: str | None = field("string", "1-3", nullable="1-3")
    node_id: int = field("int32", "0-3")
    host: str = field("string", "0-3")
    port: int = field("int32", "0-3")
    coordinators: Sequence[Coordinator] = field([Coordinator], "4+")


class DescribeClusterRequest(Message, api_key=60, versions="0-2", flexible="0+"):
    """Describe the brokers of the cluster (KIP-700)."""

    include_cluster_authorized_operations: bool = field("bool", "0+")
    endpoint_type: int = field("int8", "1+", default=1)
    include_fenced_brokers: bool = field("bool", "2+")


class DescribeClusterResponse(Message, api_key=60, versions="0-2", flexible="0+"):
    """The brokers and the controller."""

    class DescribeClusterBroker(Structure):
        broker_id: int = field("int32", "0+")
        host: str = field("string", "0+")
        port: int = field("int32", "0+")
        rack: str | None = field("string", "0+", nullable="0+", default=None)
        is_fenced: bool = field("bool", "2+")

    throttle_time_ms: int = field("int32", "0+")
    error_code: int = field("int16", "0+")
    error_message: str | None = field("string", "0+", nullable="0+", default=None)
    endpoint_type: int = field("int8", "1+", default=1)
    cluster_id: str = field("string", "0+")
    controller_id: int = field("int32", "0+", default=-1)
    brokers: Sequence[DescribeClusterBroker] = field([DescribeClusterBroker], "0+")
    authorized_operations: frozenset[int] | None = field("bitfield", "0+")
