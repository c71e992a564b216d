"""ConsumerGroupDescribe (KIP-848, "ConsumerGroupDescribe API"), on the broker.

Topics are sent with name and id. As in Apache Kafka, a topic that has been deleted in the meantime no longer has a name
and is left out of the members' assignments.
"""

from __future__ import annotations

from kafka_nextgen.groups.described import ConsumerGroupDescribed, DescribedGroup, DescribedMember
from kafka_nextgen.requests.consumer_group_describe import GROUP, MEMBER
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupDescribe
from kafka_nextgen.testing.messages.topics import TopicDirectory
from kafka_nextgen.types import TopicIdPartition
from kafka_nextgen.wire.messages import (
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
)
from kafka_nextgen.wire.topics import by_topic_id

__all__ = ["from_request", "to_response"]

_Group = ConsumerGroupDescribeResponse.DescribedGroup
_Member = _Group.Member
_Assignment = _Member.Assignment


def from_request(message: ConsumerGroupDescribeRequest) -> ConsumerGroupDescribe:
    """Read the ids of the groups to describe."""
    return ConsumerGroupDescribe(tuple(message.group_ids))


def to_response(answer: ConsumerGroupDescribed, topics: TopicDirectory) -> ConsumerGroupDescribeResponse:
    """Write the groups, with topic names from ``topics``."""
    return ConsumerGroupDescribeResponse(groups=[_group_to(group, topics) for group in answer.groups])


def _group_to(group: DescribedGroup, topics: TopicDirectory) -> _Group:
    return GROUP.to_structure(group).replaced(members=[_member_to(member, topics) for member in group.members])


def _member_to(member: DescribedMember, topics: TopicDirectory) -> _Member:
    return MEMBER.to_structure(member).replaced(
        assignment=_assignment_to(member.assignment, topics),
        target_assignment=_assignment_to(member.target, topics),
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
