"""DeleteTopics and DeleteRecords: delete topics, or records before an offset (KIP-107).

DeleteTopics identifies topics by name, or by name or id from version 6 on (KIP-516). A topic that is listed twice is
not deleted: the request is invalid.

In DeleteRecords -1 means the end. An offset before the beginning deletes nothing, and one after the end is
OFFSET_OUT_OF_RANGE. Records can't be deleted from topics that are only compacted (POLICY_VIOLATION), or from internal
topics.
"""

from __future__ import annotations

from collections import Counter

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import StorageError
from kafka_nextgen.testing.broker.context import Context
from kafka_nextgen.testing.broker.security.acls import Right
from kafka_nextgen.types import TopicId
from kafka_nextgen.wire import messages as m
from kafka_nextgen.wire.topics import NO_TOPIC_ID

__all__ = ["delete_records", "delete_topics"]

_Result = m.DeleteTopicsResponse.DeletableTopicResult

_WITH_TOPIC_IDS = 6
_UNAUTHORIZED = "Topic authorization failed."

_AskedPartition = m.DeleteRecordsRequest.DeleteRecordsTopic.DeleteRecordsPartition
_Topic = m.DeleteRecordsResponse.DeleteRecordsTopicResult
_Partition = _Topic.DeleteRecordsPartitionResult

_END = -1
_COMPACT_ONLY = "compact"


async def delete_topics(request: m.DeleteTopicsRequest, context: Context) -> m.DeleteTopicsResponse:
    """Delete the topics that exist; return a result for each."""
    if context.version < _WITH_TOPIC_IDS:
        asked: list[tuple[str | None, TopicId | None]] = [(name, None) for name in request.topic_names]
    else:
        asked = [(topic.name, topic.topic_id) for topic in request.topics]
    return m.DeleteTopicsResponse(
        responses=[
            _delete_topic(name, topic_id, context) if count == 1 else _result(name, topic_id, ErrorCode.INVALID_REQUEST)
            for (name, topic_id), count in Counter(asked).items()
        ]
    )


def _delete_topic(name: str | None, topic_id: TopicId | None, context: Context) -> _Result:
    if (name is None) == (topic_id is None):
        return _result(name, topic_id, ErrorCode.INVALID_REQUEST)
    topics = context.cluster.topics
    topic = topics.with_id(topic_id) if name is None else topics.named(name)
    if topic is None and name is None:
        return _result(None, topic_id, ErrorCode.UNKNOWN_TOPIC_ID)
    if name is not None and not context.may(Right.DESCRIBE_TOPIC, name):
        return _result(name, None, Right.DESCRIBE_TOPIC.error, _UNAUTHORIZED)
    if topic is None:
        return _result(name, topic_id, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    if not context.may(Right.DELETE_TOPIC, topic.name):  # only clients that may describe the topic see its name
        seen = topic.name if context.may(Right.DESCRIBE_TOPIC, topic.name) else None
        return _result(seen, topic.topic_id, Right.DELETE_TOPIC.error, _UNAUTHORIZED)
    topics.delete(topic)
    return _result(topic.name, topic.topic_id, ErrorCode.NONE)


def _result(name: str | None, topic_id: TopicId | None, error: ErrorCode, message: str | None = None) -> _Result:
    return _Result(name=name, topic_id=topic_id or NO_TOPIC_ID, error_code=error, error_message=message)


async def delete_records(request: m.DeleteRecordsRequest, context: Context) -> m.DeleteRecordsResponse:
    """Delete the records; return the first offset of each partition."""
    return m.DeleteRecordsResponse(
        topics=[
            _Topic(name=topic.name, partitions=[_partition(topic.name, asked, context) for asked in topic.partitions])
            for topic in request.topics
        ]
    )


def _partition(name: str, asked: _AskedPartition, context: Context) -> _Partition:
    begins = _delete_records(name, asked, context)
    if isinstance(begins, ErrorCode):
        return _Partition(partition_index=asked.partition_index, low_watermark=-1, error_code=begins)
    return _Partition(partition_index=asked.partition_index, low_watermark=begins, error_code=ErrorCode.NONE)


def _delete_records(name: str, asked: _AskedPartition, context: Context) -> int | ErrorCode:
    """Delete up to the offset; return where the partition begins, or why nothing was done."""
    if not context.may(Right.DELETE_TOPIC, name):
        return Right.DELETE_TOPIC.error
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
