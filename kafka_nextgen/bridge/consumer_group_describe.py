"""ConsumerGroupDescribe (KIP-848, "ConsumerGroupDescribe API"), from both ends.

Topics go over the wire with name and id. A topic that was deleted meanwhile has no name any more and is left out
of what a member owns, as Apache Kafka does.
"""

from __future__ import annotations

from collections.abc import Sequence

from kafka_nextgen.bridge.topics import TopicDirectory, by_topic_id, code_of, topic_id_partitions
from kafka_nextgen.coordinator.requests import ConsumerGroupDescribe
from kafka_nextgen.coordinator.responses import (
    ConsumerGroupDescribed,
    DescribedGroup,
    DescribedMember,
)
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.types import TopicId, TopicIdPartition
from kafka_nextgen.wire.messages import (
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
)

__all__ = ["from_request", "from_response", "to_request", "to_response"]

_MEMBER_TYPE_CLASSIC = 0
_MEMBER_TYPE_CONSUMER = 1

_Group = ConsumerGroupDescribeResponse.DescribedGroup
_Member = _Group.Member
_Assignment = _Member.Assignment


def to_request(group_ids: Sequence[str]) -> ConsumerGroupDescribeRequest:
    """Ask what is known of these groups."""
    return ConsumerGroupDescribeRequest(group_ids=list(group_ids), include_authorized_operations=False)


def from_response(message: ConsumerGroupDescribeResponse, asked: Sequence[str]) -> ConsumerGroupDescribed:
    """Read the groups of ``asked``, in this order.

    Raises ``DecodeError`` for impossible partitions, and if the answer leaves a group out.
    """
    told = {group.group_id: group for group in message.groups}
    if missing := set(asked) - told.keys():
        raise DecodeError(f"ConsumerGroupDescribe was answered without {', '.join(sorted(missing))}")
    return ConsumerGroupDescribed(tuple(_group_from(told[group_id]) for group_id in asked), _names_in(message))


def from_request(message: ConsumerGroupDescribeRequest) -> ConsumerGroupDescribe:
    """Read which groups are asked for."""
    return ConsumerGroupDescribe(tuple(message.group_ids))


def to_response(answer: ConsumerGroupDescribed, topics: TopicDirectory) -> ConsumerGroupDescribeResponse:
    """Write the groups, with the names that ``topics`` has."""
    return ConsumerGroupDescribeResponse(groups=[_group_to(group, topics) for group in answer.groups])


def _group_to(group: DescribedGroup, topics: TopicDirectory) -> _Group:
    return _Group(
        error_code=group.error,
        error_message=group.message,
        group_id=group.group_id,
        group_state=group.state,
        group_epoch=group.group_epoch,
        assignment_epoch=group.assignment_epoch,
        assignor_name=group.assignor,
        members=[_member_to(member, topics) for member in group.members],
    )


def _member_to(member: DescribedMember, topics: TopicDirectory) -> _Member:
    return _Member(
        member_id=member.member_id,
        instance_id=member.instance_id,
        rack_id=member.rack_id,
        member_epoch=member.member_epoch,
        client_id=member.client_id,
        client_host=member.client_host,
        subscribed_topic_names=list(member.subscribed_topics),
        subscribed_topic_regex=member.subscribed_pattern,
        assignment=_assignment_to(member.assignment, topics),
        target_assignment=_assignment_to(member.target, topics),
        member_type=_MEMBER_TYPE_CLASSIC if member.is_classic else _MEMBER_TYPE_CONSUMER,
    )


def _assignment_to(partitions: frozenset[TopicIdPartition], topics: TopicDirectory) -> _Assignment:
    named = [(topics.name_of(topic_id), topic_id, numbers) for topic_id, numbers in by_topic_id(partitions).items()]
    return _Assignment(
        topic_partitions=[
            _Assignment.TopicPartitions(topic_id=topic_id, topic_name=name, partitions=numbers)
            for name, topic_id, numbers in named
            if name is not None
        ]
    )


def _names_in(message: ConsumerGroupDescribeResponse) -> dict[TopicId, str]:
    assignments = [
        assignment
        for group in message.groups
        for member in group.members
        for assignment in (member.assignment, member.target_assignment)
    ]
    topics = [topic for assignment in assignments for topic in assignment.topic_partitions]
    return {topic.topic_id: topic.topic_name for topic in topics if topic.topic_id is not None}


def _group_from(group: _Group) -> DescribedGroup:
    return DescribedGroup(
        group_id=group.group_id,
        error=code_of(group.error_code),
        message=group.error_message,
        state=group.group_state,
        group_epoch=group.group_epoch,
        assignment_epoch=group.assignment_epoch,
        assignor=group.assignor_name,
        members=tuple(_member_from(member) for member in group.members),
    )


def _member_from(member: _Member) -> DescribedMember:
    return DescribedMember(
        member_id=member.member_id,
        instance_id=member.instance_id,
        rack_id=member.rack_id,
        member_epoch=member.member_epoch,
        client_id=member.client_id,
        client_host=member.client_host,
        subscribed_topics=tuple(member.subscribed_topic_names),
        subscribed_pattern=member.subscribed_topic_regex,
        assignment=_assignment_from(member.assignment),
        target=_assignment_from(member.target_assignment),
        is_classic=member.member_type == _MEMBER_TYPE_CLASSIC,
    )


def _assignment_from(assignment: _Assignment) -> frozenset[TopicIdPartition]:
    return topic_id_partitions((topic.topic_id, topic.partitions) for topic in assignment.topic_partitions)
