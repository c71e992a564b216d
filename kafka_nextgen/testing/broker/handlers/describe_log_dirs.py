"""DescribeLogDirs: how many bytes each partition takes (KIP-113), in the only directory or in memory."""

from __future__ import annotations

from collections.abc import Iterator

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.broker.context import Context
from kafka_nextgen.testing.broker.security.acls import Right
from kafka_nextgen.testing.broker.topic import Partition, Topic
from kafka_nextgen.wire.messages import DescribeLogDirsRequest, DescribeLogDirsResponse

__all__ = ["handle"]

_Directory = DescribeLogDirsResponse.DescribeLogDirsResult
_Topic = _Directory.DescribeLogDirsTopic
_Partition = _Topic.DescribeLogDirsPartition


async def handle(request: DescribeLogDirsRequest, context: Context) -> DescribeLogDirsResponse:
    """Describe the partitions that this node has a replica of: all of them, or only the requested ones."""
    if not context.may(Right.DESCRIBE_CLUSTER):
        return DescribeLogDirsResponse(error_code=Right.DESCRIBE_CLUSTER.error, results=[])
    return DescribeLogDirsResponse(
        error_code=ErrorCode.NONE,
        results=[
            _Directory(
                error_code=ErrorCode.NONE,
                log_dir=context.cluster.storage.location,
                topics=[
                    _Topic(name=topic.name, partitions=[_partition(partition) for partition in partitions])
                    for topic, partitions in _asked(request, context)
                ],
            )
        ],
    )


def _asked(request: DescribeLogDirsRequest, context: Context) -> Iterator[tuple[Topic, list[Partition]]]:
    asked = None if request.topics is None else {topic.topic: set(topic.partitions) for topic in request.topics}
    for topic in context.cluster.topics.all():
        here = [partition for partition in topic.partitions if context.node.node_id in partition.replicas]
        if asked is not None:
            here = [partition for partition in here if partition.index in asked.get(topic.name, ())]
        if here:
            yield topic, here


def _partition(partition: Partition) -> _Partition:
    return _Partition(
        partition_index=partition.index, partition_size=partition.log.size, offset_lag=0, is_future_key=False
    )
