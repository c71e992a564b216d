"""ListOffsets: where a partition begins and ends, and which offset belongs to a time (KIP-79, KIP-734).

There is no tiered storage: the earliest local offset is the earliest (KIP-405), and the latest tiered offset does
not exist (KIP-1005). What is not found is -1 without an error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kafka_nextgen.broker.cluster import Context
from kafka_nextgen.broker.log import FoundOffset, PartitionLog
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import CorruptRecordError
from kafka_nextgen.wire.messages import DataContainer, ListOffsetsRequest, ListOffsetsResponse

__all__ = ["handle"]

_Topic = ListOffsetsResponse.ListOffsetsTopicResponse
_Partition = _Topic.ListOffsetsPartitionResponse

_NO_TIMESTAMP = -1

#: What the special timestamps mean; every other is a time.
_SPECIAL: Mapping[int, Callable[[PartitionLog], FoundOffset | None]] = {
    -1: lambda log: FoundOffset(log.end_offset, _NO_TIMESTAMP),
    -2: lambda log: FoundOffset(log.start_offset, _NO_TIMESTAMP),
    -3: lambda log: log.offset_of_latest_time(),
    -4: lambda log: FoundOffset(log.start_offset, _NO_TIMESTAMP),
    -5: lambda log: None,
}


async def handle(request: ListOffsetsRequest, context: Context) -> ListOffsetsResponse:
    """Look up each partition's offset."""
    return ListOffsetsResponse(
        topics=[
            _Topic(
                name=topic.name,
                partitions=[_partition(topic.name, asked, context) for asked in topic.partitions],
            )
            for topic in request.topics
        ]
    )


def _partition(name: str, asked: DataContainer, context: Context) -> _Partition:
    index = asked.partition_index
    topic = context.cluster.topics.named(name)
    partition = None if topic is None else topic.partition(index)
    if partition is None:
        return _Partition(partition_index=index, error_code=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    error = context.leadership_error(partition, asked.current_leader_epoch)
    if error is not ErrorCode.NONE:
        return _Partition(partition_index=index, error_code=error)
    try:
        found = _find(partition.log, asked.timestamp)
    except CorruptRecordError:
        return _Partition(partition_index=index, error_code=ErrorCode.CORRUPT_MESSAGE)
    if found is None:
        return _Partition(partition_index=index, error_code=ErrorCode.NONE)
    return _Partition(
        partition_index=index,
        error_code=ErrorCode.NONE,
        timestamp=found.timestamp,
        offset=found.offset,
        leader_epoch=partition.leader_epoch,
    )


def _find(log: PartitionLog, timestamp: int) -> FoundOffset | None:
    special = _SPECIAL.get(timestamp)
    return log.offset_for_time(timestamp) if special is None else special(log)
