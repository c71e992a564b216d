"""DescribeGroups, versions 0 to 6, from the broker's end.

A group there is not is shown as Dead; from version 6 on it is the error GROUP_ID_NOT_FOUND, with a message (KIP-1043).
"""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.classic.requests import DescribeGroups
from kafka_nextgen.coordinator.classic.responses import DescribedClassicGroup, DescribedClassicMember, GroupsDescribed
from kafka_nextgen.wire.messages import DescribeGroupsRequest, DescribeGroupsResponse

__all__ = ["from_request", "to_response"]

_WITH_MISSING_AS_ERROR = 6

_Group = DescribeGroupsResponse.DescribedGroup
_Member = _Group.DescribedGroupMember


def from_request(message: DescribeGroupsRequest) -> DescribeGroups:
    """Read which groups are asked for, each once."""
    return DescribeGroups(tuple(dict.fromkeys(message.groups)))


def to_response(answer: GroupsDescribed, version: int) -> DescribeGroupsResponse:
    """Write the groups."""
    return DescribeGroupsResponse(groups=[_group(group, version) for group in answer.groups])


def _group(group: DescribedClassicGroup, version: int) -> _Group:
    is_told = group.error is not ErrorCode.GROUP_ID_NOT_FOUND or version >= _WITH_MISSING_AS_ERROR
    return _Group(
        error_code=group.error if is_told else ErrorCode.NONE,
        error_message=group.message if version >= _WITH_MISSING_AS_ERROR else None,
        group_id=group.group_id,
        group_state=group.state,
        protocol_type=group.protocol_type,
        protocol_data=group.protocol_name,
        members=[_member(member) for member in group.members],
    )


def _member(member: DescribedClassicMember) -> _Member:
    return _Member(
        member_id=member.member_id,
        group_instance_id=member.instance_id,
        client_id=member.client_id,
        client_host=member.client_host,
        member_metadata=member.metadata,
        member_assignment=member.assignment,
    )
