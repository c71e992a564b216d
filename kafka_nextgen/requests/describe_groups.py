"""DescribeGroups, versions 0 to 6: classic groups and their members.

A group that does not exist has the state Dead; from version 6 on, the answer is the error GROUP_ID_NOT_FOUND with a
message (KIP-1043).
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.groups.described import DescribedClassicGroup, DescribedClassicMember, GroupsDescribed
from kafka_nextgen.wire.error_codes import ERROR
from kafka_nextgen.wire.field_map import FieldMap
from kafka_nextgen.wire.messages import DescribeGroupsRequest, DescribeGroupsResponse

__all__ = ["GROUP", "GroupMap", "from_response", "to_request"]

_DEAD = "Dead"

_Group = DescribeGroupsResponse.DescribedGroup
GroupMap = FieldMap[DescribedClassicGroup, _Group]

_MEMBER = FieldMap(
    DescribedClassicMember,
    _Group.DescribedGroupMember,
    instance_id="group_instance_id",
    metadata="member_metadata",
    assignment="member_assignment",
)
#: A group in Kafka's response.
GROUP: GroupMap = FieldMap(
    DescribedClassicGroup,
    _Group,
    error=ERROR,
    message="error_message",
    state="group_state",
    protocol_name="protocol_data",
    members=_MEMBER.array("members"),
    expected=None,
    leaving=None,
)


def to_request(group_ids: Sequence[str], *, with_operations: bool = False) -> DescribeGroupsRequest:
    """Request the descriptions of these groups; from version 3 on also the operations that the client may perform."""
    return DescribeGroupsRequest(groups=list(group_ids), include_authorized_operations=with_operations)


def from_response(message: DescribeGroupsResponse, asked: Sequence[str], groups: GroupMap = GROUP) -> GroupsDescribed:
    """Read the groups of ``asked``, in the same order; in any version, a group with the state Dead does not exist.

    Raises ``DecodeError`` if the answer omits a group.
    """
    told = {group.group_id: groups.from_structure(group) for group in message.groups}
    if missing := set(asked) - told.keys():
        raise DecodeError(f"the response to DescribeGroups lacks {', '.join(sorted(missing))}")
    return GroupsDescribed(tuple(_or_missing(told[group_id]) for group_id in asked))


def _or_missing(group: DescribedClassicGroup) -> DescribedClassicGroup:
    is_missing = group.error is ErrorCode.NONE and group.state == _DEAD
    return evolve(group, error=ErrorCode.GROUP_ID_NOT_FOUND) if is_missing else group
