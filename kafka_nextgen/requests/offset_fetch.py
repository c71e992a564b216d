"""OffsetFetch, versions 1 to 10: what a group has committed.

Up to version 7 a request asks for one group, from 8 on for several (KIP-709); 9 carries the member's id and epoch,
10 topic ids for names (KIP-848). Asking for no topics at all (null) means all there are. Consumers ask for
stable offsets only (KIP-447), where the version allows it.

An error of the whole group is at the top (2 to 7), in the group's entry (from 8 on), or in every partition (1). A
committed offset of -1 means that there is none.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.groups.offset_requests import OffsetFetch
from kafka_nextgen.requests.offset_commit import highest_version
from kafka_nextgen.types import OffsetAndMetadata, TopicId, TopicPartition
from kafka_nextgen.wire.messages import OffsetFetchRequest, OffsetFetchResponse
from kafka_nextgen.wire.topics import NO_TOPIC_ID, by_name

__all__ = ["FetchedOffsets", "from_response", "highest_version", "to_request"]

_WITH_GROUPS = 8
_WITH_TOPIC_IDS = 10

_Group = OffsetFetchRequest.OffsetFetchRequestGroup
_Topic = _Group.OffsetFetchRequestTopics
_FetchedGroup = OffsetFetchResponse.OffsetFetchResponseGroup
_FetchedTopic = _FetchedGroup.OffsetFetchResponseTopics
_FetchedPartition = _FetchedTopic.OffsetFetchResponsePartitions


@frozen
class FetchedOffsets:
    """What was answered: the whole group's error code (0 for none), then each partition by itself.

    ``offsets`` has None where nothing was committed; a partition is either there or in ``errors``, by its code.
    """

    error: int
    offsets: Mapping[TopicPartition, OffsetAndMetadata | None]
    errors: Mapping[TopicPartition, int]


def to_request(request: OffsetFetch, topic_ids: Mapping[str, TopicId], version: int) -> OffsetFetchRequest:
    """Ask for a group's offsets; ``topic_ids`` must have every topic from version 10 on."""
    topics = None
    if request.partitions is not None:
        topics = [
            _Topic(
                name=name,
                topic_id=topic_ids[name] if version >= _WITH_TOPIC_IDS else None,
                partition_indexes=numbers,
            )
            for name, numbers in by_name(request.partitions).items()
        ]
    if version < _WITH_GROUPS:
        return OffsetFetchRequest(group_id=request.group_id, topics=topics, require_stable=request.require_stable)
    group = _Group(
        group_id=request.group_id,
        member_id=request.member_id,
        member_epoch=request.member_epoch,
        topics=topics,
    )
    return OffsetFetchRequest(groups=[group], require_stable=request.require_stable)


def from_response(message: OffsetFetchResponse, group_id: str, topic_ids: Mapping[str, TopicId]) -> FetchedOffsets:
    """Read what was answered for ``group_id``.

    Raises ``DecodeError`` if the group is not in the answer. Topics whose id is not in ``topic_ids`` are ignored.
    """
    if message.version < _WITH_GROUPS:
        return _fetched(message, None)
    names = {topic_id: name for name, topic_id in topic_ids.items()}
    for group in message.groups:
        if group.group_id == group_id:
            return _fetched(group, names if message.version >= _WITH_TOPIC_IDS else None)
    raise DecodeError(f"OffsetFetch was answered without group {group_id}")


def _fetched(told: OffsetFetchResponse | _FetchedGroup, names: Mapping[TopicId, str] | None) -> FetchedOffsets:
    """Read the topics of a group, by these ``names`` if they have ids."""
    offsets: dict[TopicPartition, OffsetAndMetadata | None] = {}
    errors: dict[TopicPartition, int] = {}
    for topic in told.topics:
        name = topic.name if names is None else names.get(topic.topic_id or NO_TOPIC_ID)
        if name is None:
            continue
        for partition in topic.partitions:
            tp = TopicPartition(name, partition.partition_index)
            if partition.error_code != ErrorCode.NONE:
                errors[tp] = partition.error_code
            else:
                offsets[tp] = _offset(partition)
    return FetchedOffsets(told.error_code, {tp: each for tp, each in offsets.items() if tp not in errors}, errors)


def _offset(partition: _FetchedPartition) -> OffsetAndMetadata | None:
    if partition.committed_offset < 0:
        return None
    epoch = max(partition.committed_leader_epoch, -1)
    return OffsetAndMetadata(partition.committed_offset, epoch, partition.metadata or "")
