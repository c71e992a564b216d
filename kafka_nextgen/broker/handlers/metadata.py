"""Metadata: the nodes, and the topics with their partitions and leaders; by name, or by id from version 12 on.

A topic that does not exist is created if the request and the broker (``auto.create.topics.enable``) allow it and the
name is valid. Kafka answers LEADER_NOT_AVAILABLE while it creates a topic; here the topic exists at once. A topic that
is asked for twice is described once.

Topics that the client may not describe are hidden: they are left out if all topics are asked for. By name they get the
same error whether they exist or not.
"""

from __future__ import annotations

from kafka_nextgen.broker.cluster import Cluster
from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.handlers.describe_cluster import cluster_operations
from kafka_nextgen.broker.node import Node
from kafka_nextgen.broker.partition_fields import partition_fields
from kafka_nextgen.broker.security.acl_types import ResourceType
from kafka_nextgen.broker.security.rights import CREATE_IN_CLUSTER, CREATE_TOPIC, DESCRIBE_TOPIC
from kafka_nextgen.broker.topic import Topic
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.messages import MetadataRequest, MetadataResponse

__all__ = ["handle"]

_AskedTopic = MetadataRequest.MetadataRequestTopic
_Broker = MetadataResponse.MetadataResponseBroker
_Topic = MetadataResponse.MetadataResponseTopic
_Partition = _Topic.MetadataResponsePartition


async def handle(request: MetadataRequest, context: Context) -> MetadataResponse:
    """Answer with the topics asked for, or all."""
    cluster = context.cluster
    if request.topics is None or (context.version == 0 and not request.topics):
        visible = (topic for topic in cluster.topics.all() if context.may(DESCRIBE_TOPIC, topic.name))
        topics = [_described(topic, cluster) for topic in visible]
    else:
        may_create = request.allow_auto_topic_creation and cluster.settings.auto_create_topics_enable
        answers = (_asked(topic, context, may_create) for topic in request.topics)
        topics = list({(topic.name, topic.topic_id): topic for topic in answers}.values())
    if request.include_topic_authorized_operations:
        topics = [_with_operations(topic, context) for topic in topics]
    return MetadataResponse(
        brokers=[_broker(node, context) for node in cluster.living()],
        cluster_id=cluster.cluster_id,
        controller_id=cluster.controller.node_id,
        topics=topics,
        authorized_operations=_cluster_operations(request, context),
    )


def _with_operations(topic: _Topic, context: Context) -> _Topic:
    if topic.name is None or topic.error_code == DESCRIBE_TOPIC.error:
        return topic
    return topic.replaced(authorized_operations=context.access.operations(ResourceType.TOPIC, topic.name))


def _cluster_operations(request: MetadataRequest, context: Context) -> frozenset[int] | None:
    return cluster_operations(context) if request.include_cluster_authorized_operations else None


def _broker(node: Node, context: Context) -> _Broker:
    address = context.endpoint(node)
    return _Broker(node_id=node.node_id, host=address.host, port=address.port, rack=node.rack)


def _asked(asked: _AskedTopic, context: Context, may_create: bool) -> _Topic:
    if asked.name is None:
        return _by_id(asked, context)
    if not context.may(DESCRIBE_TOPIC, asked.name):
        return _failed(asked, DESCRIBE_TOPIC.error)
    topics = context.cluster.topics
    topic = topics.named(asked.name)
    if topic is not None:
        return _described(topic, context.cluster)
    refusal = topics.creation_complaint(asked.name)
    if refusal is not None:
        return _failed(asked, refusal.code)
    if not may_create:
        return _failed(asked, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    if not (context.may(CREATE_IN_CLUSTER) or context.may(CREATE_TOPIC, asked.name)):
        return _failed(asked, CREATE_TOPIC.error)
    return _described(context.cluster.create_topic(asked.name), context.cluster)


def _by_id(asked: _AskedTopic, context: Context) -> _Topic:
    topic = context.cluster.topics.with_id(asked.topic_id)
    if topic is None:
        return _failed(asked, ErrorCode.UNKNOWN_TOPIC_ID)
    if not context.may(DESCRIBE_TOPIC, topic.name):
        return _failed(asked, DESCRIBE_TOPIC.error)
    return _described(topic, context.cluster)


def _described(topic: Topic, cluster: Cluster) -> _Topic:
    return _Topic(
        error_code=ErrorCode.NONE,
        name=topic.name,
        topic_id=topic.topic_id,
        is_internal=topic.is_internal,
        partitions=[_Partition(**partition_fields(partition, cluster)) for partition in topic.partitions],
    )


def _failed(asked: _AskedTopic, error: ErrorCode) -> _Topic:
    return _Topic(error_code=error, name=asked.name, topic_id=asked.topic_id, partitions=[])
