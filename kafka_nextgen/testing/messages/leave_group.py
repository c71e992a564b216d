"""LeaveGroup, versions 0 to 5, on the broker.

From version 3 on a request has a list of members and an error for each (KIP-345), from version 5 on a reason
(KIP-800); earlier versions have one member id, whose error is the error of the answer.
"""

from __future__ import annotations

from kafka_nextgen.groups.leaving import LeaveGroup, LeaveGroupAnswer, LeavingMember
from kafka_nextgen.wire.messages import LeaveGroupRequest, LeaveGroupResponse

__all__ = ["from_request", "to_response"]

_WITH_A_LIST = 3

_Left = LeaveGroupResponse.MemberResponse


def from_request(message: LeaveGroupRequest) -> LeaveGroup:
    """Read the members to remove."""
    if message.version < _WITH_A_LIST:
        return LeaveGroup(message.group_id, (LeavingMember(message.member_id),))
    members = (LeavingMember(each.member_id, each.group_instance_id, each.reason) for each in message.members)
    return LeaveGroup(message.group_id, tuple(members))


def to_response(answer: LeaveGroupAnswer, version: int) -> LeaveGroupResponse:
    """Write the result for each member."""
    if version < _WITH_A_LIST:
        errors = [answer.error, *(member.error for member in answer.members)]
        return LeaveGroupResponse(error_code=next((error for error in errors if error), answer.error), members=[])
    return LeaveGroupResponse(
        error_code=answer.error,
        members=[
            _Left(member_id=member.member_id, group_instance_id=member.instance_id, error_code=member.error)
            for member in answer.members
        ],
    )
