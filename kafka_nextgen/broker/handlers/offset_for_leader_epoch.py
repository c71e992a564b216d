"""OffsetForLeaderEpoch: where the records of an epoch end (KIP-101), for readers to see what they lost (KIP-320)."""

from __future__ import annotations

from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.security.rights import ACT_FOR_CLUSTER, DESCRIBE_TOPIC
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.messages import OffsetForLeaderEpochRequest, OffsetForLeaderEpochResponse

__all__ = ["handle"]

_AskedPartition = OffsetForLeaderEpochRequest.OffsetForLeaderTopic.OffsetForLeaderPartition
_Topic = OffsetForLeaderEpochResponse.OffsetForLeaderTopicResult
_Partition = _Topic.EpochEndOffset

_UNKNOWN = (-1, -1)


async def handle(request: OffsetForLeaderEpochRequest, context: Context) -> OffsetForLeaderEpochResponse:
    """Look each epoch up."""
    return OffsetForLeaderEpochResponse(
        topics=[
            _Topic(
                topic=topic.topic, partitions=[_partition(topic.topic, asked, context) for asked in topic.partitions]
            )
            for topic in request.topics
        ]
    )


def _partition(name: str, asked: _AskedPartition, context: Context) -> _Partition:
    if not (context.may(DESCRIBE_TOPIC, name) or context.may(ACT_FOR_CLUSTER)):  # as followers do
        return _Partition(error_code=DESCRIBE_TOPIC.error, partition=asked.partition)
    partition = context.cluster.topics.partition(name, asked.partition)
    if partition is None:
        return _Partition(error_code=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, partition=asked.partition)
    error = context.leadership_error(partition, asked.current_leader_epoch)
    if error is not ErrorCode.NONE:
        return _Partition(error_code=error, partition=asked.partition)
    log = partition.log
    epoch, end_offset = log.epochs.end_of(asked.leader_epoch, log.leader_epoch, log.end_offset) or _UNKNOWN
    return _Partition(error_code=ErrorCode.NONE, partition=asked.partition, leader_epoch=epoch, end_offset=end_offset)
