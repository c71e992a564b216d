"""ConsumerGroupPrepareAssignment (KIP-848, "ConsumerGroupPrepareAssignment API"): requests the input for an assignment.

The answer contains a partition count, and the member creates one entry for each partition, before it can notice that
the count is too high. So the count is limited to the number of partitions that a Metadata answer could list.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kafka_nextgen.assignors.spec import AssignmentSpec, MemberSpec, Metadata, TopicMetadata
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.groups.topic_partitions import to_topic_partitions
from kafka_nextgen.membership.assigning.effects import SendPrepare
from kafka_nextgen.membership.assigning.events import Prepared, Refused
from kafka_nextgen.types import TopicId
from kafka_nextgen.wire.messages import (
    ConsumerGroupPrepareAssignmentRequest,
    ConsumerGroupPrepareAssignmentResponse,
)
from kafka_nextgen.wire.topics import topic_id_partitions

__all__ = ["to_event", "to_request"]

_MOST_PARTITIONS = 1_000_000

_Member = ConsumerGroupPrepareAssignmentResponse.Member
_Topic = ConsumerGroupPrepareAssignmentResponse.Topic
_Topics = Mapping[TopicId, TopicMetadata]


def to_request(effect: SendPrepare, group_id: str) -> ConsumerGroupPrepareAssignmentRequest:
    """Request the input for an assignment."""
    return ConsumerGroupPrepareAssignmentRequest(
        group_id=group_id, member_id=effect.member_id, member_epoch=effect.member_epoch
    )


def to_event(number: int, message: ConsumerGroupPrepareAssignmentResponse) -> Prepared | Refused:
    """Read the answer to request ``number``. Raises ``DecodeError`` for invalid answers."""
    if message.error_code != ErrorCode.NONE:
        return Refused(number, message.error_code, message.error_message)
    topics = _topics_from(message.topics)
    members = {member.member_id: _member_from(member, topics) for member in message.members}
    if len(members) != len(message.members):
        raise DecodeError(f"{type(message).__name__} names a member twice")
    return Prepared(number, message.group_epoch, message.assignor_name, AssignmentSpec(members, topics))


def _topics_from(structures: Iterable[_Topic]) -> dict[TopicId, TopicMetadata]:
    topics: dict[TopicId, TopicMetadata] = {}
    partitions = 0
    for each in structures:
        partitions += each.num_partitions
        if each.topic_id is None or each.topic_id in topics:
            raise DecodeError(f"topic {each.topic_name} has no id, or its id appears twice")
        if each.num_partitions < 0 or partitions > _MOST_PARTITIONS:
            raise DecodeError(f"topic {each.topic_name} has {each.num_partitions} partitions, which can't be assigned")
        topics[each.topic_id] = TopicMetadata(each.topic_name, each.num_partitions, _racks_from(each))
    return topics


def _racks_from(topic: _Topic) -> tuple[tuple[str, ...], ...]:
    racks = tuple(tuple(partition.racks) for partition in topic.partition_racks)
    if racks and len(racks) != topic.num_partitions:
        raise DecodeError(f"topic {topic.topic_name} has {topic.num_partitions} partitions, but racks for {len(racks)}")
    return racks


def _member_from(member: _Member, topics: _Topics) -> MemberSpec:
    unknown = [topic_id for topic_id in member.subscribed_topic_ids if topic_id not in topics]
    if unknown:
        raise DecodeError(f"member {member.member_id} is subscribed to topic id {unknown[0]}, which is not described")
    word = member.assignor
    return MemberSpec(
        subscribed_topics=frozenset(topics[topic_id].name for topic_id in member.subscribed_topic_ids if topic_id),
        target=to_topic_partitions(
            topic_id_partitions((each.topic_id, each.partitions) for each in member.topic_partitions)
        ),
        instance_id=member.instance_id,
        rack_id=member.rack_id,
        reason=word.reason,
        metadata=Metadata(word.metadata_version, bytes(word.metadata_bytes)),
    )
