"""ConsumerGroupPrepareAssignment (KIP-848, "ConsumerGroupPrepareAssignment API"), from both ends.

An assignor is told of subscriptions by name, the message has topic ids: topics that there are not are left out, and
nothing of them could be assigned.

A member makes one entry for each partition that the answer counts, and has to do so before it can find that they are
too many. So there may be no more of them than Metadata could have listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from kafka_nextgen.assignors.spec import AssignmentSpec, MemberSpec, Metadata, TopicMetadata
from kafka_nextgen.bridge.topics import topic_id_partitions
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.membership.assigning.effects import SendPrepare
from kafka_nextgen.membership.assigning.events import Prepared, Refused
from kafka_nextgen.types import TopicId
from kafka_nextgen.wire.messages import (
    ConsumerGroupPrepareAssignmentRequest,
    ConsumerGroupPrepareAssignmentResponse,
)
from kafka_nextgen.wire.schemas.consumer_group import TopicPartitions

if TYPE_CHECKING:  # the broker's half is imported where it is used: a consumer has no use for it
    from kafka_nextgen.testing.coordinator.extensions.requests import PrepareAssignment
    from kafka_nextgen.testing.coordinator.extensions.responses import AssignmentPrepared, PreparedMember

__all__ = ["from_request", "to_event", "to_request", "to_response"]

_MOST_PARTITIONS = 1_000_000

_Member = ConsumerGroupPrepareAssignmentResponse.Member
_Topic = ConsumerGroupPrepareAssignmentResponse.Topic

_Topics = Mapping[TopicId, TopicMetadata]


def to_request(effect: SendPrepare, group_id: str) -> ConsumerGroupPrepareAssignmentRequest:
    """Ask what there is to assign."""
    return ConsumerGroupPrepareAssignmentRequest(
        group_id=group_id, member_id=effect.member_id, member_epoch=effect.member_epoch
    )


def from_request(message: ConsumerGroupPrepareAssignmentRequest) -> PrepareAssignment:
    """Read who asks."""
    from kafka_nextgen.testing.coordinator.extensions.requests import PrepareAssignment

    return PrepareAssignment(message.group_id, message.member_id, message.member_epoch)


def to_response(answer: AssignmentPrepared) -> ConsumerGroupPrepareAssignmentResponse:
    """Write the group as its assignor is to see it."""
    ids = {topic.name: topic_id for topic_id, topic in answer.topics.items()}
    return ConsumerGroupPrepareAssignmentResponse(
        error_code=answer.error,
        error_message=answer.message,
        group_epoch=answer.group_epoch,
        assignor_name=answer.assignor,
        members=[_member_to(member_id, member, ids) for member_id, member in answer.members.items()],
        topics=[_topic_to(topic_id, topic) for topic_id, topic in answer.topics.items()],
    )


def to_event(number: int, message: ConsumerGroupPrepareAssignmentResponse) -> Prepared | Refused:
    """Read the answer to request ``number``. Raises ``DecodeError`` for what no coordinator may answer."""
    if message.error_code != ErrorCode.NONE:
        return Refused(number, message.error_code, message.error_message)
    topics = _topics_from(message.topics)
    members = {member.member_id: _member_from(member, topics) for member in message.members}
    if len(members) != len(message.members):
        raise DecodeError(f"{type(message).__name__} names a member twice")
    return Prepared(number, message.group_epoch, message.assignor_name, AssignmentSpec(members, topics))


def _member_to(member_id: str, member: PreparedMember, ids: Mapping[str, TopicId]) -> _Member:
    spec = member.spec
    return _Member(
        member_id=member_id,
        member_epoch=member.member_epoch,
        instance_id=spec.instance_id,
        rack_id=spec.rack_id,
        subscribed_topic_ids=[ids[name] for name in sorted(spec.subscribed_topics) if name in ids],
        assignor=_Member.Assignor(
            reason=spec.reason, metadata_version=spec.metadata.version, metadata_bytes=spec.metadata.payload
        ),
        topic_partitions=[
            TopicPartitions(topic_id=topic_id, partitions=sorted(numbers)) for topic_id, numbers in spec.target.items()
        ],
    )


def _topic_to(topic_id: TopicId, topic: TopicMetadata) -> _Topic:
    return _Topic(
        topic_id=topic_id,
        topic_name=topic.name,
        num_partitions=topic.num_partitions,
        partition_racks=[_Topic.PartitionRacks(racks=list(racks)) for racks in topic.partition_racks],
    )


def _topics_from(structures: Iterable[_Topic]) -> dict[TopicId, TopicMetadata]:
    topics: dict[TopicId, TopicMetadata] = {}
    partitions = 0
    for each in structures:
        partitions += each.num_partitions
        if each.topic_id is None or each.topic_id in topics:
            raise DecodeError(f"topic {each.topic_name} has no id, or one that is told twice")
        if each.num_partitions < 0 or partitions > _MOST_PARTITIONS:
            raise DecodeError(f"topic {each.topic_name} has {each.num_partitions} partitions, which can't be assigned")
        topics[each.topic_id] = TopicMetadata(each.topic_name, each.num_partitions, _racks_from(each))
    return topics


def _racks_from(topic: _Topic) -> tuple[tuple[str, ...], ...]:
    racks = tuple(tuple(partition.racks) for partition in topic.partition_racks)
    if racks and len(racks) != topic.num_partitions:
        raise DecodeError(f"topic {topic.topic_name} has {topic.num_partitions} partitions, and racks of {len(racks)}")
    return racks


def _member_from(member: _Member, topics: _Topics) -> MemberSpec:
    from kafka_nextgen.groups.topic_partitions import to_topic_partitions

    unknown = [topic_id for topic_id in member.subscribed_topic_ids if topic_id not in topics]
    if unknown:
        raise DecodeError(f"member {member.member_id} is subscribed to topic id {unknown[0]}, of which nothing is told")
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
