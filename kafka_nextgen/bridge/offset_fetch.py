"""OffsetFetch, versions 1 to 10, from both ends.

Up to version 7 a request asks for one group, from 8 on for several (KIP-709); 9 carries the member's id and epoch,
10 topic ids for names (KIP-848). Asking for no topics at all (null) means all there are. Consumers ask for
stable offsets only (KIP-447), where the version allows it.

An error of the whole group is at the top (2 to 7), in the group's entry (from 8 on), or in every partition (1). A
committed offset of -1 means that there is none.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from attrs import evolve, frozen

from kafka_nextgen.bridge.offset_commit import highest_version
from kafka_nextgen.bridge.offset_fetch_answers import to_response
from kafka_nextgen.bridge.topics import NO_TOPIC_ID, TopicDirectory, by_name
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.offset_requests import OffsetFetch
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.types import OffsetAndMetadata, TopicId, TopicPartition
from kafka_nextgen.wire.messages import OffsetFetchRequest, OffsetFetchResponse

__all__ = ["FetchedOffsets", "from_request", "from_response", "highest_version", "to_request", "to_response"]

_WITH_GROUPS = 8
_WITH_TOPIC_IDS = 10

_OneGroupTopic = OffsetFetchRequest.OffsetFetchRequestTopic
_Group = OffsetFetchRequest.OffsetFetchRequestGroup
_GroupTopic = _Group.OffsetFetchRequestTopics
_Fetched = (
    OffsetFetchResponse.OffsetFetchResponseTopic.OffsetFetchResponsePartition
    | OffsetFetchResponse.OffsetFetchResponseGroup.OffsetFetchResponseTopics.OffsetFetchResponsePartitions
)


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
    topics = None if request.partitions is None else by_name(request.partitions)
    if version < _WITH_GROUPS:
        return OffsetFetchRequest(
            group_id=request.group_id,
            topics=None if topics is None else [_OneGroupTopic(name=t, partition_indexes=n) for t, n in topics.items()],
            require_stable=request.require_stable,
        )
    group = _Group(
        group_id=request.group_id,
        member_id=request.member_id,
        member_epoch=request.member_epoch,
        topics=None if topics is None else [_group_topic(t, n, topic_ids, version) for t, n in topics.items()],
    )
    return OffsetFetchRequest(groups=[group], require_stable=request.require_stable)


def from_response(message: OffsetFetchResponse, group_id: str, topic_ids: Mapping[str, TopicId]) -> FetchedOffsets:
    """Read what was answered for ``group_id``.

    Raises ``DecodeError`` if the group is not in the answer. Topics whose id is not in ``topic_ids`` are ignored.
    """
    if message.version < _WITH_GROUPS:
        return _fetched(message.error_code, [(topic.name, topic.partitions) for topic in message.topics])
    names = {topic_id: name for name, topic_id in topic_ids.items()}
    by_id = message.version >= _WITH_TOPIC_IDS
    for group in message.groups:
        if group.group_id == group_id:
            named = [
                (names.get(topic.topic_id or NO_TOPIC_ID) if by_id else topic.name, topic.partitions)
                for topic in group.topics
            ]
            return _fetched(group.error_code, [(name, partitions) for name, partitions in named if name is not None])
    raise DecodeError(f"OffsetFetch was answered without group {group_id}")


def from_request(message: OffsetFetchRequest, topics: TopicDirectory) -> tuple[OffsetFetch, ...]:
    """Read which offsets are asked for, group by group; topic ids that ``topics`` does not have are left out."""
    if message.version < _WITH_GROUPS:
        named = None if message.topics is None else [(topic.name, topic.partition_indexes) for topic in message.topics]
        fetch = OffsetFetch(message.group_id, _partitions(named), require_stable=message.require_stable)
        return (_by_known_ids(fetch, topics),)
    return tuple(_group_from(group, topics, message) for group in message.groups)


def _group_topic(name: str, numbers: list[int], topic_ids: Mapping[str, TopicId], version: int) -> _GroupTopic:
    if version >= _WITH_TOPIC_IDS:
        return _GroupTopic(topic_id=topic_ids[name], partition_indexes=numbers)
    return _GroupTopic(name=name, partition_indexes=numbers)


def _group_from(group: _Group, topics: TopicDirectory, message: OffsetFetchRequest) -> OffsetFetch:
    by_id = message.version >= _WITH_TOPIC_IDS
    named = None
    if group.topics is not None:
        found = [(topics.name_of(topic.topic_id) if by_id else topic.name, topic) for topic in group.topics]
        named = [(name, topic.partition_indexes) for name, topic in found if name is not None]
    who = group.member_id, group.member_epoch
    return _by_known_ids(OffsetFetch(group.group_id, _partitions(named), *who, message.require_stable), topics)


def _by_known_ids(fetch: OffsetFetch, topics: TopicDirectory) -> OffsetFetch:
    return evolve(fetch, topic_ids=topics.ids_of(fetch.partitions or ()))


def _partitions(named: Sequence[tuple[str, Collection[int]]] | None) -> tuple[TopicPartition, ...] | None:
    if named is None:
        return None
    return tuple(dict.fromkeys(TopicPartition(name, number) for name, numbers in named for number in numbers))


def _fetched(error: int, named: Iterable[tuple[str, Sequence[_Fetched]]]) -> FetchedOffsets:
    offsets: dict[TopicPartition, OffsetAndMetadata | None] = {}
    errors: dict[TopicPartition, int] = {}
    for name, partitions in named:
        for partition in partitions:
            tp = TopicPartition(name, partition.partition_index)
            if partition.error_code != ErrorCode.NONE:
                errors[tp] = partition.error_code
            else:
                offsets[tp] = _offset(partition)
    return FetchedOffsets(error, {tp: offset for tp, offset in offsets.items() if tp not in errors}, errors)


def _offset(partition: _Fetched) -> OffsetAndMetadata | None:
    if partition.committed_offset < 0:
        return None
    epoch = max(partition.committed_leader_epoch, -1)
    return OffsetAndMetadata(partition.committed_offset, epoch, partition.metadata or "")
