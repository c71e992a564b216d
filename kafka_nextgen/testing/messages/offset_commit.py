"""OffsetCommit, versions 2 to 10, on the broker.

Up to version 9 a request has topic names, version 10 has topic ids instead (KIP-848). A partition that does not exist
is not passed to the coordinator: the answer has UNKNOWN_TOPIC_ID or UNKNOWN_TOPIC_OR_PARTITION for it, along with
the coordinator's results for the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.coordinator.requests import OffsetCommit
from kafka_nextgen.testing.coordinator.responses import OffsetsCommitted
from kafka_nextgen.testing.messages.topics import TopicDirectory
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from kafka_nextgen.wire.messages import OffsetCommitRequest, OffsetCommitResponse

__all__ = ["from_request", "refusals", "to_response"]

_WITH_TOPIC_IDS = 10

_RequestTopic = OffsetCommitRequest.OffsetCommitRequestTopic
_ResponseTopic = OffsetCommitResponse.OffsetCommitResponseTopic
_ResponsePartition = _ResponseTopic.OffsetCommitResponsePartition


def from_request(message: OffsetCommitRequest, topics: TopicDirectory) -> OffsetCommit:
    """Read a commit of the partitions that exist.

    If none exists (``offsets`` is empty), do not pass the request to the coordinator.
    """
    offsets = {
        tp: OffsetAndMetadata(
            partition.committed_offset,
            partition.committed_leader_epoch,
            partition.committed_metadata or "",
        )
        for topic in message.topics
        for partition in topic.partitions
        if topics.has(tp := TopicPartition(_name_in(message, topic, topics) or "", partition.partition_index))
    }
    return OffsetCommit(
        group_id=message.group_id,
        offsets=offsets,
        member_id=message.member_id,
        member_epoch=message.generation_id_or_member_epoch,
        instance_id=message.group_instance_id,
        version=message.version,
        retention_ms=None if message.retention_time_ms < 0 else message.retention_time_ms,
        topic_ids=topics.ids_of(offsets),
    )


def to_response(
    message: OffsetCommitRequest, topics: TopicDirectory, answer: OffsetsCommitted | None
) -> OffsetCommitResponse:
    """Write the answer to ``message``, in its order; ``topics`` must be the directory passed to ``from_request``.

    ``answer`` is None if the coordinator was not asked.
    """
    errors = {} if answer is None else answer.errors

    def error_of(topic: _RequestTopic, number: int) -> ErrorCode:
        name = _name_in(message, topic, topics)
        if name is None:
            return ErrorCode.UNKNOWN_TOPIC_ID
        tp = TopicPartition(name, number)
        return errors[tp] if topics.has(tp) else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION

    return OffsetCommitResponse(topics=_results(message.topics, error_of))


def refusals(topics: Iterable[_RequestTopic], error: ErrorCode) -> list[_ResponseTopic]:
    """Write the results for refused topics: the same error for every partition."""
    return _results(topics, lambda topic, number: error)


def _results(
    topics: Iterable[_RequestTopic], error_of: Callable[[_RequestTopic, int], ErrorCode]
) -> list[_ResponseTopic]:
    return [
        _ResponseTopic(
            name=topic.name,
            topic_id=topic.topic_id,
            partitions=[
                _ResponsePartition(
                    partition_index=each.partition_index, error_code=error_of(topic, each.partition_index)
                )
                for each in topic.partitions
            ],
        )
        for topic in topics
    ]


def _name_in(message: OffsetCommitRequest, topic: _RequestTopic, topics: TopicDirectory) -> str | None:
    return topics.name_of(topic.topic_id) if message.version >= _WITH_TOPIC_IDS else topic.name
