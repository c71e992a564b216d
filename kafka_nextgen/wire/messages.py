"""The messages: kafka-python's classes, and ours for the APIs it lacks.

Every class is made from Kafka's schema of that message. Fields are the schema's names in snake_case, structures
inside a message are attributes of its class under the schema's names, and a field outside a message's version has
the schema's default. An all-zero topic id is read as None and written for None.

Ours are the two APIs of the consumer group protocol (KIP-848), in ``kafka_nextgen.wire.consumer_group`` and
``consumer_group_describe``, JoinGroup's request, in ``join_group``, and those that Kafka never shipped, in
``extensions``.

What every consumer sends is loaded with this module. What only administration, producers, logins and the broker need
takes longer than that to make, so each package of it is loaded when one of its messages is first asked for.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING


@contextmanager
def _quiet_loading() -> Iterator[None]:
    """kafka-python loads its schemas in a way that Python 3.11 calls deprecated, each time a message is imported."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "(read|open)_text is deprecated", DeprecationWarning)
        yield


with _quiet_loading():
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

    from kafka_nextgen.wire.consumer_group import (
        ConsumerGroupHeartbeatRequest,
        ConsumerGroupHeartbeatResponse,
    )
    from kafka_nextgen.wire.join_group import JoinGroupRequest

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

    from kafka_nextgen.wire.consumer_group_describe import ConsumerGroupDescribeRequest, ConsumerGroupDescribeResponse
    from kafka_nextgen.wire.describe_groups import DescribeGroupsRequest, DescribeGroupsResponse
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
    "ApiMessage",
    "ApiVersionsRequest",
    "ApiVersionsResponse",
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
    "WriteTxnMarkersRequest",
    "WriteTxnMarkersResponse",
]

#: What is loaded only when it is asked for, by API.
_LATER = {
    "AlterClientQuotas": "kafka.protocol.admin",
    "AlterConfigs": "kafka.protocol.admin",
    "AlterUserScramCredentials": "kafka.protocol.admin",
    "CreateAcls": "kafka.protocol.admin",
    "CreatePartitions": "kafka.protocol.admin",
    "CreateTopics": "kafka.protocol.admin",
    "DeleteAcls": "kafka.protocol.admin",
    "DeleteGroups": "kafka.protocol.admin",
    "DeleteRecords": "kafka.protocol.admin",
    "DeleteTopics": "kafka.protocol.admin",
    "DescribeAcls": "kafka.protocol.admin",
    "DescribeClientQuotas": "kafka.protocol.admin",
    "DescribeCluster": "kafka.protocol.admin",
    "DescribeConfigs": "kafka.protocol.admin",
    "DescribeGroups": "kafka_nextgen.wire.describe_groups",
    "DescribeLogDirs": "kafka.protocol.admin",
    "DescribeProducers": "kafka.protocol.admin",
    "DescribeTopicPartitions": "kafka.protocol.admin",
    "DescribeTransactions": "kafka.protocol.admin",
    "DescribeUserScramCredentials": "kafka.protocol.admin",
    "IncrementalAlterConfigs": "kafka.protocol.admin",
    "ListConfigResources": "kafka.protocol.admin",
    "ListGroups": "kafka.protocol.admin",
    "ListTransactions": "kafka.protocol.admin",
    "AddOffsetsToTxn": "kafka.protocol.producer",
    "AddPartitionsToTxn": "kafka.protocol.producer",
    "EndTxn": "kafka.protocol.producer",
    "InitProducerId": "kafka.protocol.producer",
    "Produce": "kafka.protocol.producer",
    "TxnOffsetCommit": "kafka.protocol.producer",
    "WriteTxnMarkers": "kafka.protocol.producer",
    "SaslAuthenticate": "kafka.protocol.sasl",
    "SaslHandshake": "kafka.protocol.sasl",
    "ConsumerGroupAddMembers": "kafka_nextgen.wire.extensions",
    "ConsumerGroupDescribe": "kafka_nextgen.wire.consumer_group_describe",
    "ConsumerGroupHistory": "kafka_nextgen.wire.extensions",
    "ConsumerGroupInstallAssignment": "kafka_nextgen.wire.extensions",
    "ConsumerGroupPrepareAssignment": "kafka_nextgen.wire.extensions",
}


def __getattr__(name: str) -> object:
    package = _LATER.get(name.removesuffix("Request").removesuffix("Response"))
    if package is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with _quiet_loading():
        message: object = getattr(importlib.import_module(package), name)
    globals()[name] = message
    return message
