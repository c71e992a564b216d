"""The group's assignment in a DescribeGroups response; a static member compares it with its subscription.

Only a stable classic group of consumers has an assignment here. DescribeGroups answers with an error for a consumer
group (KIP-848).
"""

from __future__ import annotations

from kafka_nextgen.errors import DecodeError
from kafka_nextgen.groups.consumer_protocol import PROTOCOL_TYPE, decode_assignment, decode_subscription
from kafka_nextgen.groups.described import DescribedClassicGroup, DescribedClassicMember
from kafka_nextgen.membership.classic.events import DescribedPart

__all__ = ["parts_of"]

_STABLE = "Stable"


def parts_of(group: DescribedClassicGroup) -> tuple[DescribedPart, ...] | None:
    """Each member's part; None if there is no assignment, or if a part of it can't be decoded."""
    if group.state != _STABLE or group.protocol_type != PROTOCOL_TYPE:
        return None
    try:
        return tuple(_part(member) for member in group.members)
    except DecodeError:
        return None


def _part(member: DescribedClassicMember) -> DescribedPart:
    return DescribedPart(member.member_id, _topics(member), decode_assignment(member.assignment))


def _topics(member: DescribedClassicMember) -> frozenset[str]:
    """The topics of a member; none if they can't be decoded, as for the leader that assigns (``join_group``)."""
    try:
        return decode_subscription(member.metadata).topics
    except DecodeError:
        return frozenset()
