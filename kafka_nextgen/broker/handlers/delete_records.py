"""DeleteRecords: delete the records before an offset (KIP-107); -1 stands for the end.

An offset before the beginning deletes nothing, and one after the end is OFFSET_OUT_OF_RANGE. Topics that are only
compacted (POLICY_VIOLATION) and internal topics keep their records.
"""

from __future__ import annotations

from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.security.rights import DELETE_TOPIC
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import StorageError
from kafka_nextgen.wire.messages import DeleteRecordsRequest, DeleteRecordsResponse

__all__ = ["handle"]

_AskedPartition = DeleteRecordsRequest.DeleteRecordsTopic.DeleteRecordsPartition
_Topic = DeleteRecordsResponse.DeleteRecordsTopicResult
_Partition = _Topic.DeleteRecordsPartitionResult

_END = -1
_COMPACT_ONLY = "compact"


async def handle(request: DeleteRecordsRequest, context: Context) -> DeleteRecordsResponse:
    """Delete the records; return the first offset of each partition."""
    return DeleteRecordsResponse(
        topics=[
            _Topic(name=topic.name, partitions=[_partition(topic.name, asked, context) for asked in topic.partitions])
            for topic in request.topics
        ]
    )


def _partition(name: str, asked: _AskedPartition, context: Context) -> _Partition:
    begins = _delete(name, asked, context)
    if isinstance(begins, ErrorCode):
        return _Partition(partition_index=asked.partition_index, low_watermark=-1, error_code=begins)
    return _Partition(partition_index=asked.partition_index, low_watermark=begins, error_code=ErrorCode.NONE)


def _delete(name: str, asked: _AskedPartition, context: Context) -> int | ErrorCode:
    """Delete up to the offset; return where the partition begins, or why nothing was done."""
    if not context.may(DELETE_TOPIC, name):
        return DELETE_TOPIC.error
    topic = context.cluster.topics.named(name)
    partition = None if topic is None else topic.partition(asked.partition_index)
    if topic is None or partition is None:
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    if topic.is_internal:
        return ErrorCode.INVALID_TOPIC_EXCEPTION
    error = context.leadership_error(partition)
    if error is not ErrorCode.NONE:
        return error
    if topic.settings.value("cleanup.policy") == _COMPACT_ONLY:
        return ErrorCode.POLICY_VIOLATION
    log = partition.log
    offset = log.end_offset if asked.offset == _END else asked.offset
    if not 0 <= offset <= log.end_offset:
        return ErrorCode.OFFSET_OUT_OF_RANGE
    try:
        if offset > log.start_offset:
            log.drop_before(offset)
    except StorageError:
        return ErrorCode.KAFKA_STORAGE_ERROR
    return log.start_offset
