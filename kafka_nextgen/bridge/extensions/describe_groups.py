"""DescribeGroups with who is expected, from version 5 on, from both ends."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from kafka_nextgen.bridge import describe_groups as plain
from kafka_nextgen.bridge.extensions.fields import expected_from, expected_to
from kafka_nextgen.coordinator.classic.responses import GroupsDescribed
from kafka_nextgen.wire.messages import DescribeGroupsResponse

__all__ = ["from_response", "to_response"]

_WITH_TAGS = 5

_Expected = DescribeGroupsResponse.DescribedGroup.ExpectedMember


def to_response(answer: GroupsDescribed, version: int, *, with_extensions: bool = False) -> DescribeGroupsResponse:
    """Write the groups, tags only ``with_extensions``."""
    message = plain.to_response(answer, version)
    if not with_extensions or version < _WITH_TAGS:
        return message
    pairs = zip(message.groups, answer.groups, strict=True)
    groups = [group.replaced(expected_members=expected_to(told.expected, _Expected)) for group, told in pairs]
    return message.replaced(groups=groups)


def from_response(message: DescribeGroupsResponse, asked: Sequence[str]) -> GroupsDescribed:
    """Read the groups of ``asked``, in this order. Raises ``DecodeError`` as without tags."""
    described, told = plain.from_response(message, asked), {group.group_id: group for group in message.groups}
    groups = (evolve(each, expected=expected_from(told[each.group_id].expected_members)) for each in described.groups)
    return evolve(described, groups=tuple(groups))
