"""A request for every API that asks for a right, and what its answer says of rights.

The topic, group and transactional id in a request are chosen by the test: ``Names``. The requests are as plain as can
be; what else they are answered with does not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from attrs import frozen

from kafka_nextgen.types import TopicId
from kafka_nextgen.wire import apis
from kafka_nextgen.wire import messages as m
from kafka_nextgen.wire.apis import Api
from kafka_nextgen.wire.records import NewRecord, encode_batch
from kafka_nextgen.wire.schema import Message
from kafka_nextgen.wire.schemas.access import AclFilter, EntityData
from kafka_nextgen.wire.schemas.transactions import AddPartitionsToTxnTopic
from tests.broker.requests import fetch_request, produce_request
from tests.support.plain_messages import as_dict

__all__ = ["REQUESTS", "Names", "error_codes"]

TOPIC, BROKER, GROUP = 2, 4, 32  # kinds of configuration
PRODUCER_ID = 1_000_000


@frozen
class Names:
    """What a request is about; ``topic`` is there, ``new_topic`` is not."""

    topic: str
    topic_id: TopicId
    group: str
    transactional_id: str
    new_topic: str = "not-there"


Request = tuple[Message, int]


def _produce(names: Names) -> Request:
    batch = encode_batch(
        [NewRecord(b"one")], producer_id=PRODUCER_ID, producer_epoch=0, base_sequence=0, transactional=True
    )
    return produce_request(names.topic, batch).replaced(transactional_id=names.transactional_id), 11


def _fetch(names: Names) -> Request:
    return fetch_request(names.topic_id), 13


def _list_offsets(names: Names) -> Request:
    topic = m.ListOffsetsRequest.ListOffsetsTopic
    partition = topic.ListOffsetsPartition(partition_index=0, current_leader_epoch=-1, timestamp=-1)
    topics = [topic(name=names.topic, partitions=[partition])]
    return m.ListOffsetsRequest(replica_id=-1, isolation_level=0, topics=topics), 7


def _offset_for_epoch(names: Names) -> Request:
    topic = m.OffsetForLeaderEpochRequest.OffsetForLeaderTopic
    partition = topic.OffsetForLeaderPartition(partition=0, current_leader_epoch=-1, leader_epoch=0)
    topics = [topic(topic=names.topic, partitions=[partition])]
    return m.OffsetForLeaderEpochRequest(replica_id=-2, topics=topics), 4


def _find(key_type: int, key: str) -> Request:
    return m.FindCoordinatorRequest(key_type=key_type, coordinator_keys=[key]), 4


def _heartbeat_of_consumer(names: Names) -> Request:
    request = m.ConsumerGroupHeartbeatRequest(
        group_id=names.group,
        member_id="member",
        member_epoch=0,
        rebalance_timeout_ms=60_000,
        subscribed_topic_names=[names.topic],
        topic_partitions=[],
    )
    return request, 1


def _join(names: Names) -> Request:
    protocol = m.JoinGroupRequest.JoinGroupRequestProtocol(name="range", metadata=b"")
    request = m.JoinGroupRequest(
        group_id=names.group,
        session_timeout_ms=10_000,
        rebalance_timeout_ms=10_000,
        member_id="",
        protocol_type="consumer",
        protocols=[protocol],
    )
    return request, 5


def _commit(names: Names) -> Request:
    topic = m.OffsetCommitRequest.OffsetCommitRequestTopic
    partition = topic.OffsetCommitRequestPartition(partition_index=0, committed_offset=1)
    request = m.OffsetCommitRequest(
        group_id=names.group,
        generation_id_or_member_epoch=-1,
        member_id="",
        topics=[topic(name=names.topic, partitions=[partition])],
    )
    return request, 8


def _offset_fetch(names: Names) -> Request:
    group = m.OffsetFetchRequest.OffsetFetchRequestGroup
    topics = [group.OffsetFetchRequestTopics(name=names.topic, partition_indexes=[0])]
    groups = [group(group_id=names.group, member_id=None, member_epoch=-1, topics=topics)]
    return m.OffsetFetchRequest(groups=groups, require_stable=False), 9


def _delete_offset(names: Names) -> Request:
    topic = m.OffsetDeleteRequest.OffsetDeleteRequestTopic
    partitions = [topic.OffsetDeleteRequestPartition(partition_index=0)]
    topics = [topic(name=names.topic, partitions=partitions)]
    return m.OffsetDeleteRequest(group_id=names.group, topics=topics), 0


def _init_producer_id(transactional_id: str | None) -> Request:
    request = m.InitProducerIdRequest(
        transactional_id=transactional_id, transaction_timeout_ms=10_000, producer_id=-1, producer_epoch=-1
    )
    return request, 4


def _add_partitions(names: Names) -> Request:
    topic = AddPartitionsToTxnTopic(name=names.topic, partitions=[0])
    request = m.AddPartitionsToTxnRequest(
        v3_and_below_transactional_id=names.transactional_id,
        v3_and_below_producer_id=PRODUCER_ID,
        v3_and_below_producer_epoch=0,
        v3_and_below_topics=[topic],
    )
    return request, 3


def _add_partitions_of_several(names: Names) -> Request:
    several = m.AddPartitionsToTxnRequest.AddPartitionsToTxnTransaction
    topics = [AddPartitionsToTxnTopic(name=names.topic, partitions=[0])]
    transaction = several(
        transactional_id=names.transactional_id,
        producer_id=PRODUCER_ID,
        producer_epoch=0,
        verify_only=False,
        topics=topics,
    )
    return m.AddPartitionsToTxnRequest(transactions=[transaction]), 4


def _add_offsets(names: Names) -> Request:
    request = m.AddOffsetsToTxnRequest(
        transactional_id=names.transactional_id, producer_id=PRODUCER_ID, producer_epoch=0, group_id=names.group
    )
    return request, 3


def _commit_in_transaction(names: Names) -> Request:
    topic = m.TxnOffsetCommitRequest.TxnOffsetCommitRequestTopic
    partition = topic.TxnOffsetCommitRequestPartition(partition_index=0, committed_offset=1)
    request = m.TxnOffsetCommitRequest(
        transactional_id=names.transactional_id,
        group_id=names.group,
        producer_id=PRODUCER_ID,
        producer_epoch=0,
        topics=[topic(name=names.topic, partitions=[partition])],
    )
    return request, 3


def _end(names: Names) -> Request:
    request = m.EndTxnRequest(
        transactional_id=names.transactional_id, producer_id=PRODUCER_ID, producer_epoch=0, committed=True
    )
    return request, 3


def _write_markers(names: Names) -> Request:
    marker = m.WriteTxnMarkersRequest.WritableTxnMarker
    topics = [marker.WritableTxnMarkerTopic(name=names.new_topic, partition_indexes=[0])]
    markers = [
        marker(producer_id=PRODUCER_ID, producer_epoch=0, transaction_result=False, topics=topics, coordinator_epoch=0)
    ]
    return m.WriteTxnMarkersRequest(markers=markers), 1


def _metadata(name: str, may_create: bool = False) -> Request:
    topics = [m.MetadataRequest.MetadataRequestTopic(name=name)]
    return m.MetadataRequest(topics=topics, allow_auto_topic_creation=may_create), 12


def _create_topic(names: Names) -> Request:
    topic = m.CreateTopicsRequest.CreatableTopic(
        name=names.new_topic, num_partitions=1, replication_factor=1, assignments=[], configs=[]
    )
    return m.CreateTopicsRequest(topics=[topic], timeout_ms=5_000, validate_only=True), 7


def _create_partitions(names: Names) -> Request:
    topic = m.CreatePartitionsRequest.CreatePartitionsTopic(name=names.topic, count=7, assignments=None)
    return m.CreatePartitionsRequest(topics=[topic], timeout_ms=5_000, validate_only=True), 3


def _delete_topic(names: Names) -> Request:
    name = names.new_topic if names.topic == "all" else names.topic  # what may be deleted is still needed
    topic = m.DeleteTopicsRequest.DeleteTopicState(name=name, topic_id=None)
    return m.DeleteTopicsRequest(topics=[topic], timeout_ms=5_000), 6


def _describe_configs(kind: int, name: str) -> Request:
    resource = m.DescribeConfigsRequest.DescribeConfigsResource(
        resource_type=kind, resource_name=name, configuration_keys=[]
    )
    return m.DescribeConfigsRequest(resources=[resource]), 4


def _alter_configs(kind: int, name: str) -> Request:
    resource = m.AlterConfigsRequest.AlterConfigsResource(resource_type=kind, resource_name=name, configs=[])
    return m.AlterConfigsRequest(resources=[resource], validate_only=True), 2


def _alter_incrementally(kind: int, name: str) -> Request:
    resource = m.IncrementalAlterConfigsRequest.AlterConfigsResource(resource_type=kind, resource_name=name, configs=[])
    return m.IncrementalAlterConfigsRequest(resources=[resource], validate_only=True), 1


def _describe_acls(names: Names) -> Request:
    request = m.DescribeAclsRequest(
        resource_type_filter=2, pattern_type_filter=1, resource_name_filter="x", operation=1, permission_type=1
    )
    return request, 3


def _create_acls(names: Names) -> Request:
    creation = m.CreateAclsRequest.AclCreation(
        resource_type=2,
        resource_name="x",
        resource_pattern_type=3,
        principal="User:x",
        host="*",
        operation=3,
        permission_type=3,
    )
    return m.CreateAclsRequest(creations=[creation]), 3


def _delete_acls(names: Names) -> Request:
    found = AclFilter(
        resource_type_filter=2, pattern_type_filter=1, resource_name_filter="x", operation=1, permission_type=1
    )
    return m.DeleteAclsRequest(filters=[found]), 3


def _alter_scram(names: Names) -> Request:
    deletion = m.AlterUserScramCredentialsRequest.ScramCredentialDeletion(name="nobody", mechanism=1)
    return m.AlterUserScramCredentialsRequest(deletions=[deletion], upsertions=[]), 0


def _delete_records(names: Names) -> Request:
    partition = m.DeleteRecordsRequest.DeleteRecordsTopic.DeleteRecordsPartition(partition_index=0, offset=0)
    topic = m.DeleteRecordsRequest.DeleteRecordsTopic(name=names.topic, partitions=[partition])
    return m.DeleteRecordsRequest(topics=[topic], timeout_ms=1_000), 2


def _describe_producers(names: Names) -> Request:
    topic = m.DescribeProducersRequest.TopicRequest(name=names.topic, partition_indexes=[0])
    return m.DescribeProducersRequest(topics=[topic]), 0


def _describe_partitions(names: Names) -> Request:
    topic = m.DescribeTopicPartitionsRequest.TopicRequest(name=names.topic)
    return m.DescribeTopicPartitionsRequest(topics=[topic], response_partition_limit=10, cursor=None), 0


def _alter_quotas(names: Names) -> Request:
    entry = m.AlterClientQuotasRequest.EntryData
    change = entry.OpData(key="producer_byte_rate", value=0.0, remove=True)
    entity = EntityData(entity_type="user", entity_name="nobody")
    return m.AlterClientQuotasRequest(entries=[entry(entity=[entity], ops=[change])], validate_only=True), 1


#: For each API the requests that together ask for every right in its need.
REQUESTS: Mapping[Api, tuple[Callable[[Names], Request], ...]] = {
    apis.PRODUCE: (_produce,),
    apis.FETCH: (_fetch,),
    apis.LIST_OFFSETS: (_list_offsets,),
    apis.OFFSET_FOR_LEADER_EPOCH: (_offset_for_epoch,),
    apis.METADATA: (lambda names: _metadata(names.topic), lambda names: _metadata(names.new_topic, True)),
    apis.FIND_COORDINATOR: (lambda names: _find(0, names.group), lambda names: _find(1, names.transactional_id)),
    apis.CONSUMER_GROUP_HEARTBEAT: (_heartbeat_of_consumer,),
    apis.CONSUMER_GROUP_PREPARE_ASSIGNMENT: (
        lambda names: (m.ConsumerGroupPrepareAssignmentRequest(group_id=names.group, member_id="member"), 0),
    ),
    apis.CONSUMER_GROUP_INSTALL_ASSIGNMENT: (
        lambda names: (m.ConsumerGroupInstallAssignmentRequest(group_id=names.group, member_id="member"), 0),
    ),
    apis.CONSUMER_GROUP_ADD_MEMBERS: (
        lambda names: (m.ConsumerGroupAddMembersRequest(group_id=names.group, timeout_ms=0), 0),
    ),
    apis.CONSUMER_GROUP_HISTORY: (lambda names: (m.ConsumerGroupHistoryRequest(group_id=names.group), 0),),
    apis.JOIN_GROUP: (_join,),
    apis.SYNC_GROUP: (
        lambda names: (
            m.SyncGroupRequest(group_id=names.group, generation_id=1, member_id="member", assignments=[]),
            3,
        ),
    ),
    apis.HEARTBEAT: (lambda names: (m.HeartbeatRequest(group_id=names.group, generation_id=1, member_id="member"), 3),),
    apis.LEAVE_GROUP: (
        lambda names: (
            m.LeaveGroupRequest(group_id=names.group, members=[m.LeaveGroupRequest.MemberIdentity(member_id="nobody")]),
            3,
        ),
    ),
    apis.OFFSET_COMMIT: (_commit,),
    apis.OFFSET_FETCH: (_offset_fetch,),
    apis.DESCRIBE_GROUPS: (lambda names: (m.DescribeGroupsRequest(groups=[names.group]), 5),),
    apis.CONSUMER_GROUP_DESCRIBE: (lambda names: (m.ConsumerGroupDescribeRequest(group_ids=[names.group]), 1),),
    apis.DELETE_GROUPS: (lambda names: (m.DeleteGroupsRequest(groups_names=[names.group]), 2),),
    apis.OFFSET_DELETE: (_delete_offset,),
    apis.INIT_PRODUCER_ID: (
        lambda names: _init_producer_id(None),
        lambda names: _init_producer_id(names.transactional_id),
    ),
    apis.ADD_PARTITIONS_TO_TXN: (_add_partitions, _add_partitions_of_several),
    apis.ADD_OFFSETS_TO_TXN: (_add_offsets,),
    apis.TXN_OFFSET_COMMIT: (_commit_in_transaction,),
    apis.END_TXN: (_end,),
    apis.WRITE_TXN_MARKERS: (_write_markers,),
    apis.DELETE_RECORDS: (_delete_records,),
    apis.DESCRIBE_PRODUCERS: (_describe_producers,),
    apis.DESCRIBE_LOG_DIRS: (lambda names: (m.DescribeLogDirsRequest(topics=None), 4),),
    apis.DESCRIBE_TRANSACTIONS: (
        lambda names: (m.DescribeTransactionsRequest(transactional_ids=[names.transactional_id]), 0),
    ),
    apis.DESCRIBE_TOPIC_PARTITIONS: (_describe_partitions,),
    apis.CREATE_TOPICS: (_create_topic,),
    apis.CREATE_PARTITIONS: (_create_partitions,),
    apis.DELETE_TOPICS: (_delete_topic,),
    apis.DESCRIBE_CONFIGS: (
        lambda names: _describe_configs(TOPIC, names.topic),
        lambda names: _describe_configs(GROUP, names.group),
        lambda names: _describe_configs(BROKER, "1"),
    ),
    apis.ALTER_CONFIGS: (
        lambda names: _alter_configs(TOPIC, names.topic),
        lambda names: _alter_configs(GROUP, names.group),
        lambda names: _alter_configs(BROKER, "1"),
    ),
    apis.INCREMENTAL_ALTER_CONFIGS: (
        lambda names: _alter_incrementally(TOPIC, names.topic),
        lambda names: _alter_incrementally(GROUP, names.group),
        lambda names: _alter_incrementally(BROKER, "1"),
    ),
    apis.LIST_CONFIG_RESOURCES: (lambda names: (m.ListConfigResourcesRequest(resource_types=[TOPIC]), 1),),
    apis.DESCRIBE_ACLS: (_describe_acls,),
    apis.CREATE_ACLS: (_create_acls,),
    apis.DELETE_ACLS: (_delete_acls,),
    apis.DESCRIBE_CLIENT_QUOTAS: (lambda names: (m.DescribeClientQuotasRequest(components=[], strict=False), 1),),
    apis.ALTER_CLIENT_QUOTAS: (_alter_quotas,),
    apis.DESCRIBE_USER_SCRAM_CREDENTIALS: (lambda names: (m.DescribeUserScramCredentialsRequest(users=[]), 0),),
    apis.ALTER_USER_SCRAM_CREDENTIALS: (_alter_scram,),
}


def error_codes(answer: Any) -> Iterator[int]:
    """Every error code in an answer, wherever it stands."""
    fields = as_dict(answer)
    yield from _codes(fields)


def _codes(value: object) -> Iterator[int]:
    if isinstance(value, dict):
        for name, inner in value.items():
            if name.endswith("error_code"):
                yield inner
            else:
                yield from _codes(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _codes(inner)
