"""DescribeGroups, versions 0 to 6, from both ends.

A group there is not is shown as Dead; from version 6 on it is the error GROUP_ID_NOT_FOUND, with a message (KIP-1043).
"""

from __future__ import annotations

from collections.abc import Sequence

from kafka_nextgen.bridge.topics import code_of
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.classic.requests import DescribeGroups
from kafka_nextgen.coordinator.classic.responses import DescribedClassicGroup, DescribedClassicMember, GroupsDescribed
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.wire.messages import DescribeGroupsRequest, DescribeGroupsResponse

__all__ = ["from_request", "from_response", "to_request", "to_response"]

_WITH_MISSING_AS_ERROR = 6
_DEAD = "Dead"

_Group = DescribeGroupsResponse.DescribedGroup
_Member = _Group.DescribedGroupMember


def to_request(group_ids: Sequence[str]) -> DescribeGroupsRequest:
    """Ask what is known of these groups."""
    return DescribeGroupsRequest(groups=list(group_ids), include_authorized_operations=False)


def from_response(message: DescribeGroupsResponse, asked: Sequence[str]) -> GroupsDescribed:
    """Read the groups of ``asked``, in this order; one shown as Dead does not exist, in any version.

    Raises ``DecodeError`` if the answer leaves a group out.
    """
    told = {group.group_id: group for group in message.groups}
    if missing := set(asked) - told.keys():
        raise DecodeError(f"DescribeGroups was answered without {', '.join(sorted(missing))}")
    return GroupsDescribed(tuple(_group_from(told[group_id]) for group_id in asked))


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


def _group_from(group: _Group) -> DescribedClassicGroup:
    error = code_of(group.error_code)
    if error is ErrorCode.NONE and group.group_state == _DEAD:
        error = ErrorCode.GROUP_ID_NOT_FOUND
    return DescribedClassicGroup(
        group.group_id,
        error,
        group.error_message,
        state=group.group_state,
        protocol_type=group.protocol_type,
        protocol_name=group.protocol_data,
        members=tuple(_member_from(member) for member in group.members),
    )


def _member_from(member: _Member) -> DescribedClassicMember:
    return DescribedClassicMember(
        member_id=member.member_id,
        instance_id=member.group_instance_id,
        client_id=member.client_id,
        client_host=member.client_host,
        metadata=bytes(member.member_metadata),
        assignment=bytes(member.member_assignment),
    )
