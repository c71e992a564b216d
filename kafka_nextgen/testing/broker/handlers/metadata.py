"""Metadata, DescribeCluster and DescribeTopicPartitions: the nodes, and the topics with their partitions and leaders.

Metadata identifies topics by name, or by id from version 12 on; if a request has ids, only these are used. A topic that
does not exist is created if the request and the broker (``auto.create.topics.enable``) allow it and the name is valid.
Kafka answers LEADER_NOT_AVAILABLE while it creates a topic; here the topic exists immediately. A topic that is
requested twice is described once. Topics that the client may not describe are hidden: they are left out if all topics
are requested. If requested by name, they get the same error whether they exist or not.

DescribeTopicPartitions (KIP-966) describes topics a page at a time. Topics are sorted by name, partitions by number; a
page has at most as many partitions as the request allows and never more than 2,000. If there are more, a cursor names
the first partition of the next page, and the next request begins there; its topic has to be among those requested. A
request without topics means all.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.broker.cluster import Cluster
from kafka_nextgen.testing.broker.context import Context
from kafka_nextgen.testing.broker.security.acls import ResourceType, Right
from kafka_nextgen.testing.broker.topic import Partition, Topic
from kafka_nextgen.types import topic_name_complaint
from kafka_nextgen.wire import messages as m
from kafka_nextgen.wire.topics import NO_TOPIC_ID

__all__ = ["describe_cluster", "describe_topic_partitions", "metadata"]

_AskedTopic = m.MetadataRequest.MetadataRequestTopic
_MetadataBroker = m.MetadataResponse.MetadataResponseBroker
_Topic = m.MetadataResponse.MetadataResponseTopic
_Partition = _Topic.MetadataResponsePartition

_Broker = m.DescribeClusterResponse.DescribeClusterBroker

_WITH_IDS = 12
_NO_NODE = -1
_BROKERS = 1  # the endpoint type (KIP-919)

_PagedTopic = m.DescribeTopicPartitionsResponse.DescribeTopicPartitionsResponseTopic
_PagedPartition = _PagedTopic.DescribeTopicPartitionsResponsePartition
_Cursor = m.DescribeTopicPartitionsRequest.Cursor

_MOST_PARTITIONS = 2000  # Kafka's max.request.partition.size.limit, by default


async def metadata(request: m.MetadataRequest, context: Context) -> m.MetadataResponse:
    """Answer with the requested topics, or all."""
    cluster = context.cluster
    complaint = _complaint(request, context)
    if complaint is not ErrorCode.NONE:
        return _refused(request, complaint)
    if request.topics is None or (context.version == 0 and not request.topics):
        visible = (topic for topic in cluster.topics.all() if context.may(Right.DESCRIBE_TOPIC, topic.name))
        topics = [_described(topic, cluster) for topic in visible]
    else:
        may_create = request.allow_auto_topic_creation and cluster.settings.auto_create_topics_enable
        answers = (_asked(topic, context, may_create) for topic in _wanted(request.topics))
        topics = list({(topic.name, topic.topic_id): topic for topic in answers}.values())
    if request.include_topic_authorized_operations:
        topics = [_with_operations(topic, context) for topic in topics]
    return m.MetadataResponse(
        brokers=[
            _MetadataBroker(node_id=node.node_id, **context.address_fields(node))
            for node in cluster.leadership.living()
        ],
        cluster_id=cluster.cluster_id,
        controller_id=cluster.controller.node_id,
        topics=topics,
        authorized_operations=_cluster_operations(request, context),
    )


def _complaint(request: m.MetadataRequest, context: Context) -> ErrorCode:
    """Why Kafka refuses the whole request (``KafkaApis.handleTopicMetadataRequest``); NONE if it does not.

    Versions 10 and 11 have ids that no broker accepts (KIP-516). In later versions, a request without ids needs names.
    """
    topics = request.topics or ()
    if context.version < _WITH_IDS:
        are_named = all(topic.name is not None and topic.topic_id is None for topic in topics)
        return ErrorCode.NONE if are_named else ErrorCode.INVALID_REQUEST
    lacks_name = any(topic.name is None for topic in topics) and all(topic.topic_id is None for topic in topics)
    return ErrorCode.UNKNOWN_SERVER_ERROR if lacks_name else ErrorCode.NONE


def _refused(request: m.MetadataRequest, error: ErrorCode) -> m.MetadataResponse:
    """The error for each topic, and nothing about the cluster."""
    topics = [_failed(topic.replaced(name=topic.name or ""), error) for topic in request.topics or ()]
    return m.MetadataResponse(brokers=[], cluster_id=None, controller_id=_NO_NODE, topics=topics)


def _wanted(topics: Iterable[_AskedTopic]) -> list[_AskedTopic]:
    """If any topic has an id, only topics with ids are used. As in Kafka, the name of a topic with an id is ignored."""
    by_id = [topic.replaced(name=None) for topic in topics if topic.topic_id is not None]
    return by_id or list(topics)


def _with_operations(topic: _Topic, context: Context) -> _Topic:
    if topic.name is None or topic.error_code == Right.DESCRIBE_TOPIC.error:
        return topic
    return topic.replaced(authorized_operations=context.access.operations(ResourceType.TOPIC, topic.name))


def _cluster_operations(
    request: m.MetadataRequest | m.DescribeClusterRequest, context: Context
) -> frozenset[int] | None:
    """The client's operations on the cluster (KIP-430), if requested; none if it may not describe the cluster."""
    if not request.include_cluster_authorized_operations:
        return None
    return context.access.operations(ResourceType.CLUSTER) if context.may(Right.DESCRIBE_CLUSTER) else frozenset()


def _asked(asked: _AskedTopic, context: Context, may_create: bool) -> _Topic:
    if asked.name is None:
        return _by_id(asked, context)
    if not context.may(Right.DESCRIBE_TOPIC, asked.name):
        return _failed(asked, Right.DESCRIBE_TOPIC.error)
    topics = context.cluster.topics
    topic = topics.named(asked.name)
    if topic is not None:
        return _described(topic, context.cluster)
    refusal = topics.creation_complaint(asked.name)
    if refusal is not None:
        return _failed(asked, refusal.code)
    if not may_create:
        return _failed(asked, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    if not (context.may(Right.CREATE_IN_CLUSTER) or context.may(Right.CREATE_TOPIC, asked.name)):
        return _failed(asked, Right.CREATE_TOPIC.error)
    return _described(context.cluster.create_topic(asked.name), context.cluster)


def _by_id(asked: _AskedTopic, context: Context) -> _Topic:
    topic = context.cluster.topics.with_id(asked.topic_id)
    if topic is None:
        return _failed(asked, ErrorCode.UNKNOWN_TOPIC_ID)
    if not context.may(Right.DESCRIBE_TOPIC, topic.name):
        return _failed(asked, Right.DESCRIBE_TOPIC.error)
    return _described(topic, context.cluster)


def _described(topic: Topic, cluster: Cluster) -> _Topic:
    return _Topic(
        error_code=ErrorCode.NONE,
        name=topic.name,
        topic_id=topic.topic_id,
        is_internal=topic.is_internal,
        partitions=[_Partition(**_partition_fields(partition, cluster)) for partition in topic.partitions],
    )


def _failed(asked: _AskedTopic, error: ErrorCode) -> _Topic:
    return _Topic(error_code=error, name=asked.name, topic_id=asked.topic_id, partitions=[])


async def describe_cluster(request: m.DescribeClusterRequest, context: Context) -> m.DescribeClusterResponse:
    """Answer with the brokers."""
    cluster = context.cluster
    if request.endpoint_type != _BROKERS:
        return m.DescribeClusterResponse(
            error_code=ErrorCode.INVALID_REQUEST,
            error_message="only brokers can be described",
            cluster_id=cluster.cluster_id,
        )
    return m.DescribeClusterResponse(
        error_code=ErrorCode.NONE,
        cluster_id=cluster.cluster_id,
        controller_id=cluster.controller.node_id,
        brokers=[
            _Broker(broker_id=node.node_id, **context.address_fields(node)) for node in cluster.leadership.living()
        ],
        authorized_operations=_cluster_operations(request, context),
    )


async def describe_topic_partitions(
    request: m.DescribeTopicPartitionsRequest, context: Context
) -> m.DescribeTopicPartitionsResponse:
    """Answer with the requested topics, or all, from the cursor on."""
    cursor = request.cursor
    asked = {topic.name for topic in request.topics}
    if cursor is not None and (cursor.partition_index < 0 or (asked and cursor.topic_name not in asked)):
        return m.DescribeTopicPartitionsResponse(
            topics=[_failed_page(name, ErrorCode.INVALID_REQUEST) for name in sorted(asked)], next_cursor=None
        )
    names = asked or {topic.name for topic in context.cluster.topics.all()}
    wanted = sorted(name for name in names if cursor is None or name >= cursor.topic_name)
    visible = [name for name in wanted if context.may(Right.DESCRIBE_TOPIC, name)]
    first = {} if cursor is None else {cursor.topic_name: cursor.partition_index}
    most = max(min(request.response_partition_limit, _MOST_PARTITIONS), 1)
    topics, following = _page(visible, first, most, context)
    hidden = sorted(set(wanted) - set(visible)) if asked else []
    topics.extend(_failed_page(name, Right.DESCRIBE_TOPIC.error) for name in hidden)
    return m.DescribeTopicPartitionsResponse(topics=topics, next_cursor=following)


def _page(
    names: Iterable[str], first: dict[str, int], most: int, context: Context
) -> tuple[list[_PagedTopic], _Cursor | None]:
    """Describe at most ``most`` partitions; also return where the next page begins, if there is one."""
    topics: list[_PagedTopic] = []
    for name in names:
        if most == 0:
            return topics, _Cursor(topic_name=name, partition_index=0)
        topic = context.cluster.topics.named(name)
        if topic is None:
            wrong = topic_name_complaint(name) is not None
            missing = ErrorCode.INVALID_TOPIC_EXCEPTION if wrong else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            topics.append(_failed_page(name, missing, _operations(name, context)))
            continue
        begin = first.get(name, 0)
        shown = topic.partitions[begin : begin + most]
        topics.append(_described_page(topic, shown, context))
        if begin + most < len(topic.partitions):
            return topics, _Cursor(topic_name=name, partition_index=begin + most)
        most -= len(shown)
    return topics, None


def _described_page(topic: Topic, shown: Iterable[Partition], context: Context) -> _PagedTopic:
    return _PagedTopic(
        error_code=ErrorCode.NONE,
        name=topic.name,
        topic_id=topic.topic_id,
        is_internal=topic.is_internal,
        partitions=[
            _PagedPartition(
                **_partition_fields(partition, context.cluster), eligible_leader_replicas=[], last_known_elr=[]
            )
            for partition in shown
        ],
        topic_authorized_operations=_operations(topic.name, context),
    )


def _operations(name: str, context: Context) -> frozenset[int]:
    """All operations that the client may perform on a topic (KIP-430)."""
    return context.access.operations(ResourceType.TOPIC, name)


def _failed_page(name: str, error: ErrorCode, operations: frozenset[int] | None = None) -> _PagedTopic:
    return _PagedTopic(
        error_code=error, name=name, topic_id=NO_TOPIC_ID, partitions=[], topic_authorized_operations=operations
    )


def _partition_fields(partition: Partition, cluster: Cluster) -> dict[str, Any]:
    """The fields that both messages have for a partition: its leader, and which of its replicas are alive."""
    return {
        "error_code": ErrorCode.LEADER_NOT_AVAILABLE if partition.leader is None else ErrorCode.NONE,
        "partition_index": partition.index,
        "leader_id": partition.leader_id,
        "leader_epoch": partition.leader_epoch,
        "replica_nodes": list(partition.replicas),
        "isr_nodes": list(partition.isr),
        "offline_replicas": [node_id for node_id in partition.replicas if not cluster.node(node_id).is_alive],
    }
