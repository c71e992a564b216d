"""LeaveGroup, versions 0 to 5, from the client's end. Its answer makes no difference to whoever leaves.

From version 3 on a request has a list of members and an error for each (KIP-345), from version 5 on a reason
(KIP-800); before it has one member id.
"""

from __future__ import annotations

from kafka_nextgen.membership.classic.effects import SendLeaveGroup
from kafka_nextgen.wire.messages import LeaveGroupRequest, LeaveGroupResponse

__all__ = ["errors_in", "to_request"]

_WITH_A_LIST = 3

_Member = LeaveGroupRequest.MemberIdentity


def to_request(effect: SendLeaveGroup, group_id: str, version: int) -> LeaveGroupRequest:
    """Write the leave of one member."""
    if version < _WITH_A_LIST:
        return LeaveGroupRequest(group_id=group_id, member_id=effect.member_id)
    member = _Member(member_id=effect.member_id, group_instance_id=effect.instance_id, reason=effect.reason)
    return LeaveGroupRequest(group_id=group_id, members=[member])


def errors_in(message: LeaveGroupResponse) -> tuple[int, ...]:
    """Every error code of an answer, for the log."""
    codes = (message.error_code, *(member.error_code for member in message.members or ()))
    return tuple(code for code in codes if code)
