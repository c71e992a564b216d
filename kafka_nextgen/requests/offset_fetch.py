"""OffsetFetch, versions 1 to 10: a group's committed offsets.

Up to version 7 a request is for one group, from 8 on for several (KIP-709). Version 9 adds the member's id and epoch;
version 10 contains topic ids instead of names (KIP-848). If ``topics`` is null, all offsets are requested. Consumers
request only stable offsets (KIP-447), if the version supports that; administrators also see those that an open
transaction may change.

An error of the whole group is at the top level (2 to 7), in the group's entry (from 8 on), or in every partition (1). A
committed offset of -1 means that nothing was committed.
"""

from __future__ import annotations

from collections.abc import Mapping

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.membership.offsets.effects import SendLookup
from kafka_nextgen.requests.offset_commit import highest_version
from kafka_nextgen.types import OffsetAndMetadata, TopicId, TopicPartition
from kafka_nextgen.wire.messages import OffsetFetchRequest, OffsetFetchResponse
from kafka_nextgen.wire.topics import NO_TOPIC_ID, by_name

__all__ = ["FetchedOffsets", "from_response", "highest_version", "listing", "to_request"]

_WITH_GROUPS = 8
_WITH_TOPIC_IDS = 10

_Group = OffsetFetchRequest.OffsetFetchRequestGroup
_Topic = _Group.OffsetFetchRequestTopics
_FetchedGroup = OffsetFetchResponse.OffsetFetchResponseGroup
_FetchedTopic = _FetchedGroup.OffsetFetchResponseTopics
_FetchedPartition = _FetchedTopic.OffsetFetchResponsePartitions


@frozen
class FetchedOffsets:
    """The answer: the whole group's error code (0 for none), then each partition separately.

    ``offsets`` contains None for partitions without a commit. Each partition is either in ``offsets`` or, with its
    code, in ``errors``.
    """

    error: int
    offsets: Mapping[TopicPartition, OffsetAndMetadata | None]
    errors: Mapping[TopicPartition, int]


def to_request(effect: SendLookup, group_id: str, version: int, topic_ids: Mapping[str, TopicId]) -> OffsetFetchRequest:
    """Write a consumer's lookup. From version 10 on, ``topic_ids`` must contain every topic."""
    topics = [
        _Topic(
            name=name,
            topic_id=topic_ids[name] if version >= _WITH_TOPIC_IDS else None,
            partition_indexes=numbers,
        )
        for name, numbers in by_name(effect.partitions).items()
    ]
    if version < _WITH_GROUPS:
        return OffsetFetchRequest(group_id=group_id, topics=topics, require_stable=True)
    group = _Group(group_id=group_id, member_id=effect.member_id, member_epoch=effect.member_epoch, topics=topics)
    return OffsetFetchRequest(groups=[group], require_stable=True)


def listing(group_id: str, version: int) -> OffsetFetchRequest:
    """Write an administrator's request for all offsets of a group."""
    if version < _WITH_GROUPS:
        return OffsetFetchRequest(group_id=group_id, topics=None, require_stable=False)
    return OffsetFetchRequest(groups=[_Group(group_id=group_id, topics=None)], require_stable=False)


def from_response(message: OffsetFetchResponse, group_id: str, topic_ids: Mapping[str, TopicId]) -> FetchedOffsets:
    """Read the answer for ``group_id``.

    Raises ``DecodeError`` if the group is not in the answer. Topics whose id is not in ``topic_ids`` are ignored.
    """
    if message.version < _WITH_GROUPS:
        return _fetched(message, None)
    names = {topic_id: name for name, topic_id in topic_ids.items()}
    for group in message.groups:
        if group.group_id == group_id:
            return _fetched(group, names if message.version >= _WITH_TOPIC_IDS else None)
    raise DecodeError(f"the response to OffsetFetch lacks group {group_id}")


def _fetched(told: OffsetFetchResponse | _FetchedGroup, names: Mapping[TopicId, str] | None) -> FetchedOffsets:
    """Read the topics of a group; ``names`` contains the names of topics with ids."""
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
