"""OffsetFetch, versions 1 to 10, on the broker.

Up to version 7 a request is for one group, from 8 on for several (KIP-709); version 10 has topic ids instead of names
(KIP-848). Null topics mean all topics.

An error for the whole group is at the top level (versions 2 to 7), in the group's entry (from 8 on), or in every
partition (1). An offset of -1 means no committed offset.
"""

from __future__ import annotations

from collections.abc import Sequence

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.coordinator.requests import OffsetFetch
from kafka_nextgen.testing.coordinator.responses import OffsetsFetched
from kafka_nextgen.testing.messages.topics import TopicDirectory
from kafka_nextgen.types import OffsetAndMetadata, TopicId, TopicPartition
from kafka_nextgen.wire.messages import OffsetFetchRequest, OffsetFetchResponse
from kafka_nextgen.wire.topics import NO_TOPIC_ID, by_name

__all__ = ["from_request", "to_response"]

_WITH_TOP_LEVEL_ERROR = 2
_WITH_GROUPS = 8
_WITH_TOPIC_IDS = 10

_Group = OffsetFetchRequest.OffsetFetchRequestGroup
_FetchedGroup = OffsetFetchResponse.OffsetFetchResponseGroup
_FetchedTopic = _FetchedGroup.OffsetFetchResponseTopics
_FetchedPartition = _FetchedTopic.OffsetFetchResponsePartitions

_NOTHING = OffsetAndMetadata(-1)


def _groups_in(message: OffsetFetchRequest) -> Sequence[_Group]:
    """The requested groups; up to version 7 there is one, given by the message's own fields."""
    if message.version >= _WITH_GROUPS:
        return message.groups
    return [_Group(group_id=message.group_id, topics=message.topics)]


def from_request(message: OffsetFetchRequest, topics: TopicDirectory) -> tuple[OffsetFetch, ...]:
    """Read the requested offsets of each group; topic ids that ``topics`` lacks are left out."""
    by_id = message.version >= _WITH_TOPIC_IDS
    return tuple(_group_from(group, topics, by_id, message.require_stable) for group in _groups_in(message))


def _group_from(group: _Group, topics: TopicDirectory, by_id: bool, require_stable: bool) -> OffsetFetch:
    partitions = None
    if group.topics is not None:
        named = [(topics.name_of(topic.topic_id) if by_id else topic.name, topic) for topic in group.topics]
        asked = [
            TopicPartition(name, number)
            for name, topic in named
            if name is not None
            for number in topic.partition_indexes
        ]
        partitions = tuple(dict.fromkeys(asked))
    return OffsetFetch(
        group.group_id,
        partitions,
        group.member_id,
        group.member_epoch,
        require_stable,
        topic_ids=topics.ids_of(partitions or ()),
    )


def to_response(
    message: OffsetFetchRequest, topics: TopicDirectory, answers: Sequence[OffsetsFetched]
) -> OffsetFetchResponse:
    """Write the answer to ``message``; ``answers`` are in the order of the requests that ``from_request`` returned.

    Each partition of a topic id that ``topics`` lacks gets UNKNOWN_TOPIC_ID.
    """
    pairs = zip(_groups_in(message), answers, strict=True)
    groups = [_group(group, answer, topics, message.version) for group, answer in pairs]
    if message.version >= _WITH_GROUPS:
        return OffsetFetchResponse(groups=groups)
    (only,) = groups
    return OffsetFetchResponse(topics=only.topics, error_code=only.error_code)


def _group(group: _Group, answer: OffsetsFetched, topics: TopicDirectory, version: int) -> _FetchedGroup:
    if answer.error != ErrorCode.NONE and version >= _WITH_TOP_LEVEL_ERROR:
        return _FetchedGroup(group_id=group.group_id, topics=[], error_code=answer.error)
    return _FetchedGroup(
        group_id=group.group_id,
        topics=[
            _FetchedTopic(
                name=name or "",
                topic_id=topic_id,
                partitions=[_partition(name, number, answer) for number in numbers],
            )
            for name, topic_id, numbers in _topics_of(group, answer, topics, version >= _WITH_TOPIC_IDS)
        ],
        error_code=ErrorCode.NONE,
    )


def _topics_of(
    group: _Group, answer: OffsetsFetched, topics: TopicDirectory, by_id: bool
) -> Sequence[tuple[str | None, TopicId | None, Sequence[int]]]:
    if group.topics is None:
        has_offset = [tp for tp, offset in answer.offsets.items() if offset is not None]
        every = by_name([*has_offset, *answer.unstable]).items()
        known = [(name, topics.id_of(name) or NO_TOPIC_ID, numbers) for name, numbers in every]
        return [entry for entry in known if entry[1] != NO_TOPIC_ID or not by_id]
    return [
        (topics.name_of(topic.topic_id) if by_id else topic.name, topic.topic_id, topic.partition_indexes)
        for topic in group.topics
    ]


def _partition(name: str | None, number: int, answer: OffsetsFetched) -> _FetchedPartition:
    tp = TopicPartition(name or "", number)
    offset = answer.offsets.get(tp) or _NOTHING
    error = ErrorCode.UNSTABLE_OFFSET_COMMIT if tp in answer.unstable else answer.error
    return _FetchedPartition(
        partition_index=number,
        committed_offset=offset.offset,
        committed_leader_epoch=offset.leader_epoch,
        metadata=offset.metadata,
        error_code=ErrorCode.UNKNOWN_TOPIC_ID if name is None else error,
    )
