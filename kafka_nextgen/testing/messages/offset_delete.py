"""OffsetDelete, version 0, on the broker (KIP-496).

The coordinator gets the request without the partitions that do not exist; their errors are added to its answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.coordinator.requests import OffsetDelete
from kafka_nextgen.testing.coordinator.responses import OffsetsDeleted
from kafka_nextgen.testing.messages.topics import TopicDirectory
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.messages import OffsetDeleteRequest, OffsetDeleteResponse

__all__ = ["from_request", "refusals", "to_response"]

_RequestTopic = OffsetDeleteRequest.OffsetDeleteRequestTopic
_ResponseTopic = OffsetDeleteResponse.OffsetDeleteResponseTopic
_ResponsePartition = _ResponseTopic.OffsetDeleteResponsePartition


def from_request(message: OffsetDeleteRequest, topics: TopicDirectory) -> OffsetDelete:
    """Read the partitions whose offsets are to be deleted; those that ``topics`` lacks are left out."""
    asked = (
        TopicPartition(topic.name, partition.partition_index)
        for topic in message.topics
        for partition in topic.partitions
    )
    return OffsetDelete(message.group_id, tuple(dict.fromkeys(tp for tp in asked if topics.has(tp))))


def to_response(message: OffsetDeleteRequest, answer: OffsetsDeleted) -> OffsetDeleteResponse:
    """Write the answer to ``message``; a partition that ``answer`` lacks does not exist."""
    if answer.error is not ErrorCode.NONE:
        return OffsetDeleteResponse(error_code=answer.error, topics=[])
    unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    return OffsetDeleteResponse(topics=_results(message.topics, lambda tp: answer.errors.get(tp, unknown)))


def refusals(topics: Iterable[_RequestTopic], error: ErrorCode) -> list[_ResponseTopic]:
    """Write the results for refused topics: the same error for every partition."""
    return _results(topics, lambda tp: error)


def _results(topics: Iterable[_RequestTopic], error_of: Callable[[TopicPartition], ErrorCode]) -> list[_ResponseTopic]:
    return [
        _ResponseTopic(
            name=topic.name,
            partitions=[
                _ResponsePartition(
                    partition_index=each.partition_index,
                    error_code=error_of(TopicPartition(topic.name, each.partition_index)),
                )
                for each in topic.partitions
            ],
        )
        for topic in topics
    ]
