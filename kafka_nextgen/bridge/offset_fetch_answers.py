"""The broker's half of OffsetFetch that writes answers, in the shape of the request's version."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from kafka_nextgen.bridge.topics import NO_TOPIC_ID, TopicDirectory, by_name
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.types import OffsetAndMetadata, TopicId, TopicPartition
from kafka_nextgen.wire.messages import OffsetFetchRequest, OffsetFetchResponse

if TYPE_CHECKING:  # the broker's half is imported where it is used: a consumer has no use for it
    from kafka_nextgen.coordinator.responses import OffsetsFetched

__all__ = ["to_response"]

_TOP_LEVEL_ERROR = 2
_WITH_GROUPS = 8
_WITH_TOPIC_IDS = 10

_OneGroupTopic = OffsetFetchResponse.OffsetFetchResponseTopic
_OneGroupPartition = _OneGroupTopic.OffsetFetchResponsePartition
_AskedGroup = OffsetFetchRequest.OffsetFetchRequestGroup
_Group = OffsetFetchResponse.OffsetFetchResponseGroup
_GroupTopic = _Group.OffsetFetchResponseTopics
_GroupPartition = _GroupTopic.OffsetFetchResponsePartitions

_NOTHING = OffsetAndMetadata(-1)


def to_response(
    message: OffsetFetchRequest, topics: TopicDirectory, answers: Sequence[OffsetsFetched]
) -> OffsetFetchResponse:
    """Write the answer to ``message``: ``answers`` in the order of what ``from_request`` read from it.

    A topic id that ``topics`` does not have is answered with UNKNOWN_TOPIC_ID for each of its partitions.
    """
    assert len(answers) == (len(message.groups) if message.version >= _WITH_GROUPS else 1)
    if message.version >= _WITH_GROUPS:
        by_id = message.version >= _WITH_TOPIC_IDS
        pairs = zip(message.groups, answers, strict=True)
        return OffsetFetchResponse(groups=[_group(group, answer, topics, by_id) for group, answer in pairs])
    return _one_group(message, answers[0])


def _one_group(message: OffsetFetchRequest, answer: OffsetsFetched) -> OffsetFetchResponse:
    in_partitions = message.version < _TOP_LEVEL_ERROR
    if answer.error != ErrorCode.NONE and not in_partitions:
        return OffsetFetchResponse(topics=[], error_code=answer.error)
    asked = _asked(message.topics)
    return OffsetFetchResponse(
        topics=[
            _OneGroupTopic(
                name=name,
                partitions=[_one_group_partition(TopicPartition(name, number), answer) for number in numbers],
            )
            for name, numbers in (_all_of(answer) if asked is None else asked)
        ]
    )


def _one_group_partition(tp: TopicPartition, answer: OffsetsFetched) -> _OneGroupPartition:
    offset = answer.offsets.get(tp) or _NOTHING
    return _OneGroupPartition(
        partition_index=tp.partition,
        committed_offset=offset.offset,
        committed_leader_epoch=offset.leader_epoch,
        metadata=offset.metadata,
        error_code=_error_of(tp, answer),
    )


def _group(group: _AskedGroup, answer: OffsetsFetched, topics: TopicDirectory, by_id: bool) -> _Group:
    if answer.error != ErrorCode.NONE:
        return _Group(group_id=group.group_id, topics=[], error_code=answer.error)
    return _Group(
        group_id=group.group_id,
        topics=[
            _GroupTopic(
                name=name or "",
                topic_id=topic_id,
                partitions=[_group_partition(name, number, answer) for number in numbers],
            )
            for name, topic_id, numbers in _topics_of(group, answer, topics, by_id)
        ],
        error_code=ErrorCode.NONE,
    )


def _topics_of(
    group: _AskedGroup, answer: OffsetsFetched, topics: TopicDirectory, by_id: bool
) -> Sequence[tuple[str | None, TopicId | None, Sequence[int]]]:
    if group.topics is None:
        known = [(name, topics.id_of(name) or NO_TOPIC_ID, numbers) for name, numbers in _all_of(answer)]
        return [entry for entry in known if entry[1] != NO_TOPIC_ID or not by_id]
    return [
        (topics.name_of(topic.topic_id) if by_id else topic.name, topic.topic_id, topic.partition_indexes)
        for topic in group.topics
    ]


def _group_partition(name: str | None, number: int, answer: OffsetsFetched) -> _GroupPartition:
    tp = TopicPartition(name or "", number)
    offset = answer.offsets.get(tp) or _NOTHING
    return _GroupPartition(
        partition_index=number,
        committed_offset=offset.offset,
        committed_leader_epoch=offset.leader_epoch,
        metadata=offset.metadata,
        error_code=ErrorCode.UNKNOWN_TOPIC_ID if name is None else _error_of(tp, answer),
    )


def _error_of(tp: TopicPartition, answer: OffsetsFetched) -> ErrorCode:
    return ErrorCode.UNSTABLE_OFFSET_COMMIT if tp in answer.unstable else answer.error


def _asked(
    topics: Iterable[OffsetFetchRequest.OffsetFetchRequestTopic] | None,
) -> list[tuple[str, Sequence[int]]] | None:
    return None if topics is None else [(topic.name, topic.partition_indexes) for topic in topics]


def _all_of(answer: OffsetsFetched) -> list[tuple[str, list[int]]]:
    known = [tp for tp, offset in answer.offsets.items() if offset is not None]
    return list(by_name([*known, *sorted(answer.unstable)]).items())
