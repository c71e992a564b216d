"""ConsumerGroupPrepareAssignment (KIP-848, "ConsumerGroupPrepareAssignment API"), on the broker.

The coordinator has subscriptions by name, the message has topic ids. Topics that do not exist are left out; they cannot
be assigned.
"""

from __future__ import annotations

from collections.abc import Mapping

from kafka_nextgen.assignors.spec import TopicMetadata
from kafka_nextgen.testing.coordinator.extensions.requests import PrepareAssignment
from kafka_nextgen.testing.coordinator.extensions.responses import AssignmentPrepared, PreparedMember
from kafka_nextgen.types import TopicId
from kafka_nextgen.wire.messages import (
    ConsumerGroupPrepareAssignmentRequest,
    ConsumerGroupPrepareAssignmentResponse,
)
from kafka_nextgen.wire.schemas.consumer_group import TopicPartitions

__all__ = ["from_request", "to_response"]

_Member = ConsumerGroupPrepareAssignmentResponse.Member
_Topic = ConsumerGroupPrepareAssignmentResponse.Topic


def from_request(message: ConsumerGroupPrepareAssignmentRequest) -> PrepareAssignment:
    """Read the request."""
    return PrepareAssignment(message.group_id, message.member_id, message.member_epoch)


def to_response(answer: AssignmentPrepared) -> ConsumerGroupPrepareAssignmentResponse:
    """Write the group in the form in which its assignor sees it."""
    ids = {topic.name: topic_id for topic_id, topic in answer.topics.items()}
    return ConsumerGroupPrepareAssignmentResponse(
        error_code=answer.error,
        error_message=answer.message,
        group_epoch=answer.group_epoch,
        assignor_name=answer.assignor,
        members=[_member_to(member_id, member, ids) for member_id, member in answer.members.items()],
        topics=[_topic_to(topic_id, topic) for topic_id, topic in answer.topics.items()],
    )


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
