"""OffsetCommit, versions 2 to 10: commits offsets, as a member, from outside the group, or as an administrator.

Up to version 9 a request contains topic names; version 10 contains topic ids instead (KIP-848). A client therefore uses
version 10 only if it knows the id of every topic in the request (``highest_version``). Members of the consumer group
protocol need version 9 or later.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from kafka_nextgen.errors import DecodeError
from kafka_nextgen.membership.offsets.effects import SendCommit
from kafka_nextgen.types import OffsetAndMetadata, TopicId, TopicPartition, format_partitions
from kafka_nextgen.wire.messages import OffsetCommitRequest, OffsetCommitResponse
from kafka_nextgen.wire.topics import NO_TOPIC_ID, by_name

__all__ = ["alteration", "from_response", "highest_version", "to_request"]

_WITH_TOPIC_IDS = 10

_RequestTopic = OffsetCommitRequest.OffsetCommitRequestTopic
_RequestPartition = _RequestTopic.OffsetCommitRequestPartition


def highest_version(partitions: Collection[TopicPartition], topic_ids: Mapping[str, TopicId]) -> int:
    """The highest version in which these partitions can be committed."""
    return _WITH_TOPIC_IDS if all(tp.topic in topic_ids for tp in partitions) else _WITH_TOPIC_IDS - 1


def to_request(
    effect: SendCommit, group_id: str, version: int, topic_ids: Mapping[str, TopicId]
) -> OffsetCommitRequest:
    """Write a consumer's commit. From version 10 on, ``topic_ids`` must contain every topic."""
    return OffsetCommitRequest(
        group_id=group_id,
        generation_id_or_member_epoch=effect.member_epoch,
        member_id=effect.member_id,
        group_instance_id=effect.instance_id,
        topics=_topics(effect.offsets, topic_ids if version >= _WITH_TOPIC_IDS else None),
    )


def alteration(group_id: str, offsets: Mapping[TopicPartition, OffsetAndMetadata]) -> OffsetCommitRequest:
    """Write an administrator's commit, which needs a version with topic names (9 or earlier)."""
    return OffsetCommitRequest(group_id=group_id, member_id="", topics=_topics(offsets, None))


def from_response(
    message: OffsetCommitResponse, asked: Collection[TopicPartition], topic_ids: Mapping[str, TopicId]
) -> dict[TopicPartition, int]:
    """Read each partition's error code, 0 for success.

    Every partition of ``asked`` is in the result; raises ``DecodeError`` if the answer omits one. If a partition
    appears twice, an error takes precedence. Partitions that were not requested are ignored.
    """
    names = {topic_id: name for name, topic_id in topic_ids.items()}
    wanted = set(asked)
    codes: dict[TopicPartition, int] = {}
    for topic in message.topics:
        name = names.get(topic.topic_id or NO_TOPIC_ID) if message.version >= _WITH_TOPIC_IDS else topic.name
        for partition in topic.partitions:
            tp = TopicPartition(name or "", partition.partition_index)
            if tp in wanted:
                codes[tp] = codes.get(tp) or partition.error_code
    if missing := wanted - codes.keys():
        raise DecodeError(f"the response to OffsetCommit lacks {format_partitions(missing)}")
    return codes


def _topics(
    offsets: Mapping[TopicPartition, OffsetAndMetadata], topic_ids: Mapping[str, TopicId] | None
) -> list[_RequestTopic]:
    """Write the offsets by topic id or, without ``topic_ids``, by name."""
    return [
        _RequestTopic(
            name=topic,
            topic_id=NO_TOPIC_ID if topic_ids is None else topic_ids[topic],
            partitions=[
                _RequestPartition(
                    partition_index=number,
                    committed_offset=at.offset,
                    committed_leader_epoch=at.leader_epoch,
                    committed_metadata=at.metadata,
                )
                for number in numbers
                for at in [offsets[TopicPartition(topic, number)]]
            ],
        )
        for topic, numbers in by_name(offsets).items()
    ]
