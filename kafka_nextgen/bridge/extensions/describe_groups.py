"""DescribeGroups with who is expected, from version 5 on, from both ends."""

from __future__ import annotations

from collections.abc import Sequence

from kafka_nextgen.bridge import describe_groups as plain
from kafka_nextgen.groups.described import ExpectedInstance, GroupsDescribed
from kafka_nextgen.wire.field_map import FieldMap
from kafka_nextgen.wire.messages import DescribeGroupsResponse
from kafka_nextgen.wire.schemas.groups import ExpectedMember

__all__ = ["EXPECTED", "from_response", "to_response"]

_WITH_TAGS = 5

#: A member that is announced.
EXPECTED = FieldMap(ExpectedInstance, ExpectedMember, until_ms="expected_until")

_GROUP = plain.GROUP.extended(expected=EXPECTED.array("expected_members"))


def to_response(answer: GroupsDescribed, version: int, *, with_extensions: bool = False) -> DescribeGroupsResponse:
    """Write the groups, tags only ``with_extensions``."""
    return plain.to_response(answer, version, _GROUP if with_extensions and version >= _WITH_TAGS else plain.GROUP)


def from_response(message: DescribeGroupsResponse, asked: Sequence[str]) -> GroupsDescribed:
    """Read the groups of ``asked``, in this order. Raises ``DecodeError`` as without tags."""
    return plain.from_response(message, asked, _GROUP)
