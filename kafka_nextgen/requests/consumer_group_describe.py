"""ConsumerGroupDescribe (KIP-848, "ConsumerGroupDescribe API"): groups of the consumer protocol and their members.

The messages contain both the name and the id of each topic.
"""

from __future__ import annotations

from collections.abc import Sequence

from kafka_nextgen.errors import DecodeError
from kafka_nextgen.groups.described import ConsumerGroupDescribed, DescribedGroup, DescribedMember
from kafka_nextgen.types import TopicId, TopicIdPartition
from kafka_nextgen.wire.error_codes import ERROR
from kafka_nextgen.wire.field_map import FieldMap, converted, read_only
from kafka_nextgen.wire.messages import (
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
)
from kafka_nextgen.wire.topics import topic_id_partitions

__all__ = ["GROUP", "MEMBER", "from_response", "to_request"]

_MEMBER_TYPE_CLASSIC = 0
_MEMBER_TYPE_CONSUMER = 1

_Group = ConsumerGroupDescribeResponse.DescribedGroup
_Member = _Group.Member
_Assignment = _Member.Assignment


def to_request(group_ids: Sequence[str], *, with_operations: bool = False) -> ConsumerGroupDescribeRequest:
    """Request the descriptions of these groups, and the operations that the client may perform (KIP-430)."""
    return ConsumerGroupDescribeRequest(group_ids=list(group_ids), include_authorized_operations=with_operations)


def from_response(message: ConsumerGroupDescribeResponse, asked: Sequence[str]) -> ConsumerGroupDescribed:
    """Read the groups of ``asked``, in the same order.

    Raises ``DecodeError`` for invalid partitions, and if the answer omits a group.
    """
    told = {group.group_id: group for group in message.groups}
    if missing := set(asked) - told.keys():
        raise DecodeError(f"the response to ConsumerGroupDescribe lacks {', '.join(sorted(missing))}")
    return ConsumerGroupDescribed(tuple(GROUP.from_structure(told[group_id]) for group_id in asked), _names_in(message))


def _names_in(message: ConsumerGroupDescribeResponse) -> dict[TopicId, str]:
    assignments = [
        assignment
        for group in message.groups
        for member in group.members
        for assignment in (member.assignment, member.target_assignment)
    ]
    topics = [topic for assignment in assignments for topic in assignment.topic_partitions]
    return {topic.topic_id: topic.topic_name for topic in topics if topic.topic_id is not None}


def _assignment_from(assignment: _Assignment) -> frozenset[TopicIdPartition]:
    return topic_id_partitions((topic.topic_id, topic.partitions) for topic in assignment.topic_partitions)


#: A member in Kafka's response.
MEMBER = FieldMap(
    DescribedMember,
    _Member,
    subscribed_topics="subscribed_topic_names",
    subscribed_pattern="subscribed_topic_regex",
    assignment=read_only(lambda member: _assignment_from(member.assignment)),
    target=read_only(lambda member: _assignment_from(member.target_assignment)),
    is_classic=converted(
        "member_type",
        lambda is_classic: _MEMBER_TYPE_CLASSIC if is_classic else _MEMBER_TYPE_CONSUMER,
        lambda member_type: member_type == _MEMBER_TYPE_CLASSIC,
    ),
    client_assignors=None,
    assignment_error=None,
    assignment_metadata=None,
)
#: A group in Kafka's response.
GROUP = FieldMap(
    DescribedGroup,
    _Group,
    error=ERROR,
    message="error_message",
    state="group_state",
    assignor="assignor_name",
    members=read_only(lambda group: tuple(map(MEMBER.from_structure, group.members))),
    expected=None,
    leaving=None,
)
