"""LeaveGroup: leave, or take others out by member id or instance id, several at once (KIP-345)."""

from __future__ import annotations

from kafka_nextgen.bridge.leave_group import from_request, to_response
from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.security.rights import READ_GROUP
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.classic.responses import LeaveGroupAnswer
from kafka_nextgen.wire.messages import LeaveGroupRequest, LeaveGroupResponse

__all__ = ["handle"]


async def handle(request: LeaveGroupRequest, context: Context) -> LeaveGroupResponse:
    """Pass on who is to go, and say of each what became of it."""
    if not context.may(READ_GROUP, request.group_id):
        return to_response(LeaveGroupAnswer((), READ_GROUP.error), context.version)
    if not context.coordinates(request.group_id):
        return to_response(LeaveGroupAnswer((), ErrorCode.NOT_COORDINATOR), context.version)
    return to_response(context.cluster.groups.ask(from_request(request), LeaveGroupAnswer), context.version)
