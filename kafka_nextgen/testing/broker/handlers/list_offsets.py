"""ListOffsets and OffsetForLeaderEpoch: which offset corresponds to a time, and where the records of an epoch end.

ListOffsets (KIP-79, KIP-734) also finds where a partition begins and ends. There is no tiered storage: the earliest
local offset is the earliest (KIP-405), and neither the latest tiered offset (KIP-1005) nor the earliest that is still
to be tiered (KIP-1023) exists. Each of these special timestamps was added in some version; in earlier versions, and for
any other negative timestamp, the answer is UNSUPPORTED_VERSION. For a client that reads only committed records, the
last stable offset is the latest offset, and records beyond it are not found by their time. If nothing is found, the
answer is -1 without an error.

OffsetForLeaderEpoch (KIP-101) lets readers detect truncation (KIP-320).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import CorruptRecordError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.requests.list_offsets import ISOLATION_LEVELS, READ_COMMITTED
from kafka_nextgen.testing.broker.context import Context
from kafka_nextgen.testing.broker.log import FoundOffset, PartitionLog
from kafka_nextgen.testing.broker.security.acls import Right
from kafka_nextgen.wire import messages as m

__all__ = ["list_offsets", "offset_for_leader_epoch"]

_AskedPartition = m.ListOffsetsRequest.ListOffsetsTopic.ListOffsetsPartition
_Topic = m.ListOffsetsResponse.ListOffsetsTopicResponse
_Partition = _Topic.ListOffsetsPartitionResponse

_NO_TIMESTAMP = -1

_AskedEpoch = m.OffsetForLeaderEpochRequest.OffsetForLeaderTopic.OffsetForLeaderPartition
_EpochTopic = m.OffsetForLeaderEpochResponse.OffsetForLeaderTopicResult
_EpochEnd = _EpochTopic.EpochEndOffset

_UNKNOWN = (-1, -1)


@frozen
class _Special:
    """How a special timestamp is looked up, and the first version that has it."""

    find: Callable[[PartitionLog, int], FoundOffset | None]  # takes the log, and the end of the readable records
    since: int


#: All other timestamps are actual times.
_SPECIAL: Mapping[int, _Special] = {
    -1: _Special(lambda _, end: FoundOffset(end, _NO_TIMESTAMP), since=1),
    -2: _Special(lambda log, _: FoundOffset(log.start_offset, _NO_TIMESTAMP), since=1),
    -3: _Special(lambda log, end: _readable(log.offset_of_latest_time(), end), since=7),
    -4: _Special(lambda log, _: FoundOffset(log.start_offset, _NO_TIMESTAMP), since=8),
    -5: _Special(lambda _, __: None, since=9),
    -6: _Special(lambda _, __: None, since=11),
}


async def list_offsets(request: m.ListOffsetsRequest, context: Context) -> m.ListOffsetsResponse:
    """Look up each partition's offset."""
    counts = Counter((topic.name, asked.partition_index) for topic in request.topics for asked in topic.partitions)
    return m.ListOffsetsResponse(
        topics=[
            _Topic(name=topic.name, partitions=_partitions(topic, counts, request.isolation_level, context))
            for topic in request.topics
        ]
    )


def _partitions(
    topic: m.ListOffsetsRequest.ListOffsetsTopic, counts: Counter[tuple[str, int]], isolation: int, context: Context
) -> list[_Partition]:
    if isolation not in ISOLATION_LEVELS:
        error = ErrorCode.UNKNOWN_SERVER_ERROR
        return [_Partition(partition_index=asked.partition_index, error_code=error) for asked in topic.partitions]
    return [
        _partition(topic.name, asked, context, isolation == READ_COMMITTED)
        if counts[topic.name, index] == 1
        else _Partition(partition_index=index, error_code=ErrorCode.INVALID_REQUEST)
        for index, asked in {asked.partition_index: asked for asked in topic.partitions}.items()
    ]


def _partition(name: str, asked: _AskedPartition, context: Context, is_committed: bool) -> _Partition:
    index = asked.partition_index
    if not context.may(Right.DESCRIBE_TOPIC, name):
        return _Partition(partition_index=index, error_code=Right.DESCRIBE_TOPIC.error)
    if not _is_spoken(asked.timestamp, context.version):
        return _Partition(partition_index=index, error_code=ErrorCode.UNSUPPORTED_VERSION)
    partition = context.led_partition(name, index, asked.current_leader_epoch)
    if isinstance(partition, ErrorCode):
        return _Partition(partition_index=index, error_code=partition)
    try:
        found = _find(partition.log, asked.timestamp, is_committed)
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


def _is_spoken(timestamp: int, version: int) -> bool:
    special = _SPECIAL.get(timestamp)
    return timestamp >= 0 if special is None else version >= special.since


def _find(log: PartitionLog, timestamp: int, is_committed: bool) -> FoundOffset | None:
    end = log.last_stable_offset if is_committed else log.end_offset
    special = _SPECIAL.get(timestamp)
    return _readable(log.offset_for_time(timestamp), end) if special is None else special.find(log, end)


def _readable(found: FoundOffset | None, end: int) -> FoundOffset | None:
    return found if found is not None and found.offset < end else None


async def offset_for_leader_epoch(
    request: m.OffsetForLeaderEpochRequest, context: Context
) -> m.OffsetForLeaderEpochResponse:
    """Look up each epoch."""
    return m.OffsetForLeaderEpochResponse(
        topics=[
            _EpochTopic(
                topic=topic.topic, partitions=[_end_of_epoch(topic.topic, asked, context) for asked in topic.partitions]
            )
            for topic in request.topics
        ]
    )


def _end_of_epoch(name: str, asked: _AskedEpoch, context: Context) -> _EpochEnd:
    if not (context.may(Right.DESCRIBE_TOPIC, name) or context.may(Right.ACT_FOR_CLUSTER)):  # followers have this
        return _EpochEnd(error_code=Right.DESCRIBE_TOPIC.error, partition=asked.partition)
    partition = context.led_partition(name, asked.partition, asked.current_leader_epoch)
    if isinstance(partition, ErrorCode):
        return _EpochEnd(error_code=partition, partition=asked.partition)
    log = partition.log
    epoch, end_offset = log.epochs.end_of(asked.leader_epoch, log.leader_epoch, log.end_offset) or _UNKNOWN
    return _EpochEnd(error_code=ErrorCode.NONE, partition=asked.partition, leader_epoch=epoch, end_offset=end_offset)
