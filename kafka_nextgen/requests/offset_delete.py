"""OffsetDelete, version 0: deletes a group's committed offsets for some partitions (KIP-496)."""

from __future__ import annotations

from collections.abc import Collection

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.types import TopicPartition, format_partitions
from kafka_nextgen.wire.messages import OffsetDeleteRequest, OffsetDeleteResponse
from kafka_nextgen.wire.topics import by_name

__all__ = ["DeletedOffsets", "from_response", "to_request"]

_RequestTopic = OffsetDeleteRequest.OffsetDeleteRequestTopic
_RequestPartition = _RequestTopic.OffsetDeleteRequestPartition


@frozen
class DeletedOffsets:
    """The answer: the whole group's error code (0 for none), or one for each partition."""

    error: int
    errors: dict[TopicPartition, int]


def to_request(group_id: str, partitions: Collection[TopicPartition]) -> OffsetDeleteRequest:
    """Request to delete the group's committed offsets for these partitions."""
    return OffsetDeleteRequest(
        group_id=group_id,
        topics=[
            _RequestTopic(name=topic, partitions=[_RequestPartition(partition_index=number) for number in numbers])
            for topic, numbers in by_name(partitions).items()
        ],
    )


def from_response(message: OffsetDeleteResponse, asked: Collection[TopicPartition]) -> DeletedOffsets:
    """Read the result for each partition of ``asked``. Raises ``DecodeError`` if the answer omits one."""
    if message.error_code != ErrorCode.NONE:
        return DeletedOffsets(message.error_code, {})
    told = {
        TopicPartition(topic.name, partition.partition_index): partition.error_code
        for topic in message.topics
        for partition in topic.partitions
    }
    if missing := set(asked) - told.keys():
        raise DecodeError(f"the response to OffsetDelete lacks {format_partitions(missing)}")
    return DeletedOffsets(ErrorCode.NONE, {tp: told[tp] for tp in asked})
