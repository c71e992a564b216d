"""ConsumerGroupDescribe, on the broker, with the fields that KIP-848 proposed for client-side assignors in addition to
each member's target, and with the expected instances, the members announced to leave, and the standbys.
"""

from __future__ import annotations

from kafka_nextgen.groups.described import ConsumerGroupDescribed, DescribedGroup, DescribedMember
from kafka_nextgen.requests.extensions.describe_groups import EXPECTED, LEAVING
from kafka_nextgen.testing.messages import consumer_group_describe as plain
from kafka_nextgen.testing.messages.topics import TopicDirectory
from kafka_nextgen.wire.extensions.fields import ASSIGNOR, METADATA
from kafka_nextgen.wire.messages import ConsumerGroupDescribeResponse

__all__ = ["to_response"]

_Group = ConsumerGroupDescribeResponse.DescribedGroup
_Member = _Group.Member


def to_response(
    answer: ConsumerGroupDescribed, topics: TopicDirectory, *, with_extensions: bool = False
) -> ConsumerGroupDescribeResponse:
    """Write the groups, with topic names from ``topics``, and with tagged fields only if ``with_extensions``."""
    message = plain.to_response(answer, topics)
    if not with_extensions:
        return message
    return message.replaced(groups=[_extended(*pair) for pair in zip(message.groups, answer.groups, strict=True)])


def _extended(group: _Group, told: DescribedGroup) -> _Group:
    return group.replaced(
        expected_members=[EXPECTED.to_structure(each) for each in told.expected],
        leaving_members=[LEAVING.to_structure(each) for each in told.leaving],
        members=[_extended_member(*pair) for pair in zip(group.members, told.members, strict=True)],
    )


def _extended_member(member: _Member, told: DescribedMember) -> _Member:
    return member.replaced(
        client_assignors=[ASSIGNOR.to_structure(each) for each in told.client_assignors],
        standby_place=told.standby_place,
        standby_state=told.standby_state,
        target_assignment=member.target_assignment.replaced(
            error=told.assignment_error, **METADATA.to_fields(told.assignment_metadata)
        ),
    )
