"""The group's assignment in a DescribeGroups response, for a member that compares it with its subscription.

A group that is not stable has no assignment, and neither has a group of consumers without a classic coordinator: the
description of a consumer group is an error.
"""

from __future__ import annotations

from kafka_nextgen.errors import DecodeError
from kafka_nextgen.groups.consumer_protocol import PROTOCOL_TYPE, decode_assignment, decode_subscription
from kafka_nextgen.groups.described import DescribedClassicGroup, DescribedClassicMember
from kafka_nextgen.membership.classic.events import DescribedPart

__all__ = ["parts_of"]

_STABLE = "Stable"


def parts_of(group: DescribedClassicGroup) -> tuple[DescribedPart, ...] | None:
    """Each member's part; None if there is no assignment, or if a member's part can't be decoded."""
    if group.state != _STABLE or group.protocol_type != PROTOCOL_TYPE:
        return None
    try:
        return tuple(_part(member) for member in group.members)
    except DecodeError:
        return None


def _part(member: DescribedClassicMember) -> DescribedPart:
    topics = decode_subscription(member.metadata).topics
    return DescribedPart(member.member_id, topics, decode_assignment(member.assignment))
