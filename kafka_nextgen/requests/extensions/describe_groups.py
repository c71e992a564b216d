"""DescribeGroups with the members that are expected to join and to leave, from version 5 on."""

from __future__ import annotations

from collections.abc import Sequence

from kafka_nextgen.groups.described import DescribedLeaver, ExpectedInstance, GroupsDescribed
from kafka_nextgen.requests import describe_groups as plain
from kafka_nextgen.wire.field_map import FieldMap
from kafka_nextgen.wire.messages import DescribeGroupsResponse
from kafka_nextgen.wire.schemas.groups import ExpectedMember, LeavingMember

__all__ = ["EXPECTED", "GROUP_WITH_EXPECTED", "LEAVING", "from_response"]

#: An announced member.
EXPECTED = FieldMap(ExpectedInstance, ExpectedMember, until_ms="expected_until")
#: A member that is announced to leave.
LEAVING = FieldMap(DescribedLeaver, LeavingMember, until_ms="expected_until")
#: A group with the members that it expects to join and to leave.
GROUP_WITH_EXPECTED = plain.GROUP.extended(
    expected=EXPECTED.array("expected_members"), leaving=LEAVING.array("leaving_members")
)


def from_response(message: DescribeGroupsResponse, asked: Sequence[str]) -> GroupsDescribed:
    """Read the groups of ``asked``, in the same order. Raises ``DecodeError`` like the version without tags."""
    return plain.from_response(message, asked, GROUP_WITH_EXPECTED)
