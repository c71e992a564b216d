"""DescribeTopicPartitions: topics with their partitions, a page at a time (KIP-966).

Topics come by name, partitions by number, at most as many partitions as the request allows and never more than 2,000.
Where there are more, a cursor says with which partition to go on, and the next request begins there; the topic it names
has to be among those asked for. A request without topics asks for all.
"""

from __future__ import annotations

from collections.abc import Iterable

from kafka_nextgen.bridge.topics import NO_TOPIC_ID
from kafka_nextgen.broker.cluster import Cluster
from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.partition_fields import partition_fields
from kafka_nextgen.broker.security.acl_types import ResourceType
from kafka_nextgen.broker.security.rights import DESCRIBE_TOPIC
from kafka_nextgen.broker.topic import Partition, Topic
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.types import topic_name_complaint
from kafka_nextgen.wire.messages import DescribeTopicPartitionsRequest, DescribeTopicPartitionsResponse

__all__ = ["handle"]

_Topic = DescribeTopicPartitionsResponse.DescribeTopicPartitionsResponseTopic
_Partition = _Topic.DescribeTopicPartitionsResponsePartition
_Cursor = DescribeTopicPartitionsResponse.Cursor

_MOST_PARTITIONS = 2000  # Kafka's max.request.partition.size.limit, by default


async def handle(request: DescribeTopicPartitionsRequest, context: Context) -> DescribeTopicPartitionsResponse:
    """Answer with the topics asked for, or all, from the cursor on."""
    cursor = request.cursor
    asked = {topic.name for topic in request.topics}
    if cursor is not None and (cursor.partition_index < 0 or (asked and cursor.topic_name not in asked)):
        return DescribeTopicPartitionsResponse(
            topics=[_failed(name, ErrorCode.INVALID_REQUEST) for name in sorted(asked)], next_cursor=None
        )
    names = asked or {topic.name for topic in context.cluster.topics.all()}
    wanted = sorted(name for name in names if cursor is None or name >= cursor.topic_name)
    visible = [name for name in wanted if context.may(DESCRIBE_TOPIC, name)]
    first = {} if cursor is None else {cursor.topic_name: cursor.partition_index}
    most = max(min(request.response_partition_limit, _MOST_PARTITIONS), 1)
    topics, following = _page(visible, first, most, context)
    hidden = sorted(set(wanted) - set(visible)) if asked else []
    topics.extend(_failed(name, DESCRIBE_TOPIC.error) for name in hidden)
    return DescribeTopicPartitionsResponse(topics=topics, next_cursor=following)


def _page(
    names: Iterable[str], first: dict[str, int], most: int, context: Context
) -> tuple[list[_Topic], _Cursor | None]:
    """Describe at most so many partitions; and say where the next page begins, if there is one."""
    topics: list[_Topic] = []
    for name in names:
        if most == 0:
            return topics, _Cursor(topic_name=name, partition_index=0)
        topic = context.cluster.topics.named(name)
        if topic is None:
            wrong = topic_name_complaint(name) is not None
            missing = ErrorCode.INVALID_TOPIC_EXCEPTION if wrong else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            topics.append(_failed(name, missing, _operations(name, context)))
            continue
        begin = first.get(name, 0)
        shown = topic.partitions[begin : begin + most]
        topics.append(_described(topic, shown, context))
        if begin + most < len(topic.partitions):
            return topics, _Cursor(topic_name=name, partition_index=begin + most)
        most -= len(shown)
    return topics, None


def _described(topic: Topic, shown: Iterable[Partition], context: Context) -> _Topic:
    return _Topic(
        error_code=ErrorCode.NONE,
        name=topic.name,
        topic_id=topic.topic_id,
        is_internal=topic.is_internal,
        partitions=[_partition(partition, context.cluster) for partition in shown],
        topic_authorized_operations=_operations(topic.name, context),
    )


def _partition(partition: Partition, cluster: Cluster) -> _Partition:
    return _Partition(**partition_fields(partition, cluster), eligible_leader_replicas=[], last_known_elr=[])


def _operations(name: str, context: Context) -> frozenset[int]:
    """All the client may do with a topic (KIP-430)."""
    return context.access.operations(ResourceType.TOPIC, name)


def _failed(name: str, error: ErrorCode, operations: frozenset[int] | None = None) -> _Topic:
    return _Topic(
        error_code=error, name=name, topic_id=NO_TOPIC_ID, partitions=[], topic_authorized_operations=operations
    )
