"""LeaveGroup, versions 0 to 5. The leaving member ignores the answer.

Administrators use it to remove members by instance id or by member id.

From version 3 on, a request has a list of members, and the answer an error for each (KIP-345); version 5 adds a reason
(KIP-800). Before version 3, a request has one member id, and the answer one error.
"""

from __future__ import annotations

from kafka_nextgen.errors import DecodeError
from kafka_nextgen.groups.leaving import LeaveGroup, LeaveGroupAnswer, LeftMember
from kafka_nextgen.membership.classic.effects import SendLeaveGroup
from kafka_nextgen.wire.error_codes import code_of
from kafka_nextgen.wire.messages import LeaveGroupRequest, LeaveGroupResponse

__all__ = ["errors_in", "from_response", "removal", "to_request"]

_WITH_A_LIST = 3

_Member = LeaveGroupRequest.MemberIdentity


def to_request(effect: SendLeaveGroup, group_id: str, version: int) -> LeaveGroupRequest:
    """Write a request in which one member leaves."""
    if version < _WITH_A_LIST:
        return LeaveGroupRequest(group_id=group_id, member_id=effect.member_id)
    member = _Member(member_id=effect.member_id, group_instance_id=effect.instance_id, reason=effect.reason)
    return LeaveGroupRequest(group_id=group_id, members=[member])


def removal(request: LeaveGroup) -> LeaveGroupRequest:
    """Write a request that removes several members, which requires version 3 or later."""
    members = [
        _Member(member_id=m.member_id, group_instance_id=m.instance_id, reason=m.reason) for m in request.members
    ]
    return LeaveGroupRequest(group_id=request.group_id, members=members)


def from_response(message: LeaveGroupResponse, asked: LeaveGroup) -> LeaveGroupAnswer:
    """Read the result for each member, in the order of the answer (version 3 or later).

    Raises ``DecodeError`` if an answer without an error omits a member of ``asked``.
    """
    members = (LeftMember(each.member_id, each.group_instance_id, code_of(each.error_code)) for each in message.members)
    answer = LeaveGroupAnswer(tuple(members), code_of(message.error_code))
    told = {each.member_id for each in answer.members} | {each.instance_id for each in answer.members}
    missing = sorted({each.instance_id or each.member_id for each in asked.members} - told)
    if missing and not answer.error:
        raise DecodeError(f"the response to LeaveGroup lacks {', '.join(missing)}")
    return answer


def errors_in(message: LeaveGroupResponse) -> tuple[int, ...]:
    """Every error code of an answer, for the log."""
    codes = (message.error_code, *(member.error_code for member in message.members or ()))
    return tuple(code for code in codes if code)
