"""The messages: kafka-python's classes, and ours for the APIs it lacks.

Every class is made from Kafka's schema of that message. Fields are the schema's names in snake_case, structures
inside a message are attributes of its class under the schema's names, and a field outside a message's version has
the schema's default. An all-zero topic id is read as None and written for None.

Ours are the two APIs of the consumer group protocol (KIP-848), in ``kafka_nextgen.wire.consumer_group`` and
``consumer_group_describe``, JoinGroup's request, in ``join_group``, and those that Kafka never shipped, in
``extensions``.

Making messages of their schemas takes long, so each package of them is loaded when one of its messages is first asked
for. A consumer never loads what only administration, producers, logins and the broker need.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafka_nextgen.kafka_python import load_quietly

if TYPE_CHECKING:
    from kafka.protocol.admin import (
        AlterClientQuotasRequest,
        AlterClientQuotasResponse,
        AlterConfigsRequest,
        AlterConfigsResponse,
        AlterUserScramCredentialsRequest,
        AlterUserScramCredentialsResponse,
        CreateAclsRequest,
        CreateAclsResponse,
        CreatePartitionsRequest,
        CreatePartitionsResponse,
        CreateTopicsRequest,
        CreateTopicsResponse,
        DeleteAclsRequest,
        DeleteAclsResponse,
        DeleteGroupsRequest,
        DeleteGroupsResponse,
        DeleteRecordsRequest,
        DeleteRecordsResponse,
        DeleteTopicsRequest,
        DeleteTopicsResponse,
        DescribeAclsRequest,
        DescribeAclsResponse,
        DescribeClientQuotasRequest,
        DescribeClientQuotasResponse,
        DescribeClusterRequest,
        DescribeClusterResponse,
        DescribeConfigsRequest,
        DescribeConfigsResponse,
        DescribeGroupsRequest,
        DescribeLogDirsRequest,
        DescribeLogDirsResponse,
        DescribeProducersRequest,
        DescribeProducersResponse,
        DescribeTopicPartitionsRequest,
        DescribeTopicPartitionsResponse,
        DescribeTransactionsRequest,
        DescribeTransactionsResponse,
        DescribeUserScramCredentialsRequest,
        DescribeUserScramCredentialsResponse,
        IncrementalAlterConfigsRequest,
        IncrementalAlterConfigsResponse,
        ListConfigResourcesRequest,
        ListConfigResourcesResponse,
        ListGroupsRequest,
        ListGroupsResponse,
        ListTransactionsRequest,
        ListTransactionsResponse,
    )
    from kafka.protocol.api_data import ApiData
    from kafka.protocol.api_message import ApiMessage
    from kafka.protocol.consumer import (
        FetchRequest,
        FetchResponse,
        HeartbeatRequest,
        HeartbeatResponse,
        JoinGroupResponse,
        LeaveGroupRequest,
        LeaveGroupResponse,
        ListOffsetsRequest,
        ListOffsetsResponse,
        OffsetCommitRequest,
        OffsetCommitResponse,
        OffsetDeleteRequest,
        OffsetDeleteResponse,
        OffsetFetchRequest,
        OffsetFetchResponse,
        OffsetForLeaderEpochRequest,
        OffsetForLeaderEpochResponse,
        SyncGroupRequest,
        SyncGroupResponse,
    )
    from kafka.protocol.data_container import DataContainer
    from kafka.protocol.metadata import (
        ApiVersionsRequest,
        ApiVersionsResponse,
        FindCoordinatorRequest,
        FindCoordinatorResponse,
        MetadataRequest,
        MetadataResponse,
    )
    from kafka.protocol.producer import (
        AddOffsetsToTxnRequest,
        AddOffsetsToTxnResponse,
        AddPartitionsToTxnRequest,
        AddPartitionsToTxnResponse,
        EndTxnRequest,
        EndTxnResponse,
        InitProducerIdRequest,
        InitProducerIdResponse,
        ProduceRequest,
        ProduceResponse,
        TxnOffsetCommitRequest,
        TxnOffsetCommitResponse,
        WriteTxnMarkersRequest,
        WriteTxnMarkersResponse,
    )
    from kafka.protocol.sasl import (
        SaslAuthenticateRequest,
        SaslAuthenticateResponse,
        SaslHandshakeRequest,
        SaslHandshakeResponse,
    )
    from kafka.protocol.schemas import ArrayField, BaseField
    from kafka.protocol.schemas.fields.codecs.types import UnsignedVarInt32

    from kafka_nextgen.wire.consumer_group import ConsumerGroupHeartbeatRequest, ConsumerGroupHeartbeatResponse
    from kafka_nextgen.wire.consumer_group_describe import ConsumerGroupDescribeRequest, ConsumerGroupDescribeResponse
    from kafka_nextgen.wire.describe_groups import DescribeGroupsResponse
    from kafka_nextgen.wire.extensions import (
        ConsumerGroupAddMembersRequest,
        ConsumerGroupAddMembersResponse,
        ConsumerGroupHistoryRequest,
        ConsumerGroupHistoryResponse,
        ConsumerGroupInstallAssignmentRequest,
        ConsumerGroupInstallAssignmentResponse,
        ConsumerGroupPrepareAssignmentRequest,
        ConsumerGroupPrepareAssignmentResponse,
    )
    from kafka_nextgen.wire.join_group import JoinGroupRequest

__all__ = [
    "AddOffsetsToTxnRequest",
    "AddOffsetsToTxnResponse",
    "AddPartitionsToTxnRequest",
    "AddPartitionsToTxnResponse",
    "AlterClientQuotasRequest",
    "AlterClientQuotasResponse",
    "AlterConfigsRequest",
    "AlterConfigsResponse",
    "AlterUserScramCredentialsRequest",
    "AlterUserScramCredentialsResponse",
    "ApiData",
    "ApiMessage",
    "ApiVersionsRequest",
    "ApiVersionsResponse",
    "ArrayField",
    "BaseField",
    "ConsumerGroupAddMembersRequest",
    "ConsumerGroupAddMembersResponse",
    "ConsumerGroupDescribeRequest",
    "ConsumerGroupDescribeResponse",
    "ConsumerGroupHeartbeatRequest",
    "ConsumerGroupHeartbeatResponse",
    "ConsumerGroupHistoryRequest",
    "ConsumerGroupHistoryResponse",
    "ConsumerGroupInstallAssignmentRequest",
    "ConsumerGroupInstallAssignmentResponse",
    "ConsumerGroupPrepareAssignmentRequest",
    "ConsumerGroupPrepareAssignmentResponse",
    "CreateAclsRequest",
    "CreateAclsResponse",
    "CreatePartitionsRequest",
    "CreatePartitionsResponse",
    "CreateTopicsRequest",
    "CreateTopicsResponse",
    "DataContainer",
    "DeleteAclsRequest",
    "DeleteAclsResponse",
    "DeleteGroupsRequest",
    "DeleteGroupsResponse",
    "DeleteRecordsRequest",
    "DeleteRecordsResponse",
    "DeleteTopicsRequest",
    "DeleteTopicsResponse",
    "DescribeAclsRequest",
    "DescribeAclsResponse",
    "DescribeClientQuotasRequest",
    "DescribeClientQuotasResponse",
    "DescribeClusterRequest",
    "DescribeClusterResponse",
    "DescribeConfigsRequest",
    "DescribeConfigsResponse",
    "DescribeGroupsRequest",
    "DescribeGroupsResponse",
    "DescribeLogDirsRequest",
    "DescribeLogDirsResponse",
    "DescribeProducersRequest",
    "DescribeProducersResponse",
    "DescribeTopicPartitionsRequest",
    "DescribeTopicPartitionsResponse",
    "DescribeTransactionsRequest",
    "DescribeTransactionsResponse",
    "DescribeUserScramCredentialsRequest",
    "DescribeUserScramCredentialsResponse",
    "EndTxnRequest",
    "EndTxnResponse",
    "FetchRequest",
    "FetchResponse",
    "FindCoordinatorRequest",
    "FindCoordinatorResponse",
    "HeartbeatRequest",
    "HeartbeatResponse",
    "IncrementalAlterConfigsRequest",
    "IncrementalAlterConfigsResponse",
    "InitProducerIdRequest",
    "InitProducerIdResponse",
    "JoinGroupRequest",
    "JoinGroupResponse",
    "LeaveGroupRequest",
    "LeaveGroupResponse",
    "ListConfigResourcesRequest",
    "ListConfigResourcesResponse",
    "ListGroupsRequest",
    "ListGroupsResponse",
    "ListOffsetsRequest",
    "ListOffsetsResponse",
    "ListTransactionsRequest",
    "ListTransactionsResponse",
    "MetadataRequest",
    "MetadataResponse",
    "OffsetCommitRequest",
    "OffsetCommitResponse",
    "OffsetDeleteRequest",
    "OffsetDeleteResponse",
    "OffsetFetchRequest",
    "OffsetFetchResponse",
    "OffsetForLeaderEpochRequest",
    "OffsetForLeaderEpochResponse",
    "ProduceRequest",
    "ProduceResponse",
    "SaslAuthenticateRequest",
    "SaslAuthenticateResponse",
    "SaslHandshakeRequest",
    "SaslHandshakeResponse",
    "SyncGroupRequest",
    "SyncGroupResponse",
    "TxnOffsetCommitRequest",
    "TxnOffsetCommitResponse",
    "UnsignedVarInt32",
    "WriteTxnMarkersRequest",
    "WriteTxnMarkersResponse",
]

_CONSUMER = "kafka_nextgen.kafka_python.protocol.consumer"
_METADATA = "kafka_nextgen.kafka_python.protocol.metadata"
_ADMIN = "kafka_nextgen.kafka_python.protocol.admin"
_PRODUCER = "kafka_nextgen.kafka_python.protocol.producer"
_SASL = "kafka_nextgen.kafka_python.protocol.sasl"
_SCHEMAS = "kafka_nextgen.kafka_python.protocol.schemas"

#: Where each name is, or both messages of an API.
_PLACES = {
    "ApiData": "kafka_nextgen.kafka_python.protocol.api_data",
    "ApiMessage": "kafka_nextgen.kafka_python.protocol.api_message",
    "DataContainer": "kafka_nextgen.kafka_python.protocol.data_container",
    "ArrayField": _SCHEMAS,
    "BaseField": _SCHEMAS,
    "UnsignedVarInt32": _SCHEMAS + ".fields.codecs.types",
    "ApiVersions": _METADATA,
    "FindCoordinator": _METADATA,
    "Metadata": _METADATA,
    "Fetch": _CONSUMER,
    "Heartbeat": _CONSUMER,
    "JoinGroupResponse": _CONSUMER,
    "LeaveGroup": _CONSUMER,
    "ListOffsets": _CONSUMER,
    "OffsetCommit": _CONSUMER,
    "OffsetDelete": _CONSUMER,
    "OffsetFetch": _CONSUMER,
    "OffsetForLeaderEpoch": _CONSUMER,
    "SyncGroup": _CONSUMER,
    "AlterClientQuotas": _ADMIN,
    "AlterConfigs": _ADMIN,
    "AlterUserScramCredentials": _ADMIN,
    "CreateAcls": _ADMIN,
    "CreatePartitions": _ADMIN,
    "CreateTopics": _ADMIN,
    "DeleteAcls": _ADMIN,
    "DeleteGroups": _ADMIN,
    "DeleteRecords": _ADMIN,
    "DeleteTopics": _ADMIN,
    "DescribeAcls": _ADMIN,
    "DescribeClientQuotas": _ADMIN,
    "DescribeCluster": _ADMIN,
    "DescribeConfigs": _ADMIN,
    "DescribeGroupsRequest": _ADMIN,
    "DescribeGroupsResponse": "kafka_nextgen.wire.describe_groups",
    "DescribeLogDirs": _ADMIN,
    "DescribeProducers": _ADMIN,
    "DescribeTopicPartitions": _ADMIN,
    "DescribeTransactions": _ADMIN,
    "DescribeUserScramCredentials": _ADMIN,
    "IncrementalAlterConfigs": _ADMIN,
    "ListConfigResources": _ADMIN,
    "ListGroups": _ADMIN,
    "ListTransactions": _ADMIN,
    "AddOffsetsToTxn": _PRODUCER,
    "AddPartitionsToTxn": _PRODUCER,
    "EndTxn": _PRODUCER,
    "InitProducerId": _PRODUCER,
    "Produce": _PRODUCER,
    "TxnOffsetCommit": _PRODUCER,
    "WriteTxnMarkers": _PRODUCER,
    "SaslAuthenticate": _SASL,
    "SaslHandshake": _SASL,
    "ConsumerGroupAddMembers": "kafka_nextgen.wire.extensions",
    "ConsumerGroupDescribe": "kafka_nextgen.wire.consumer_group_describe",
    "ConsumerGroupHeartbeat": "kafka_nextgen.wire.consumer_group",
    "ConsumerGroupHistory": "kafka_nextgen.wire.extensions",
    "ConsumerGroupInstallAssignment": "kafka_nextgen.wire.extensions",
    "ConsumerGroupPrepareAssignment": "kafka_nextgen.wire.extensions",
    "JoinGroupRequest": "kafka_nextgen.wire.join_group",
}


def __getattr__(name: str) -> object:
    place = _PLACES.get(name) or _PLACES.get(name.removesuffix("Request").removesuffix("Response"))
    if place is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    message: object = getattr(load_quietly(place), name)
    globals()[name] = message
    return message
