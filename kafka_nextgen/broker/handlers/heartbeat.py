"""Heartbeat: a member of a classic group is alive, and learns whether the group rebalances."""

from __future__ import annotations

from kafka_nextgen.bridge.heartbeat import from_request, to_response
from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.security.rights import READ_GROUP
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.classic.responses import HeartbeatAnswer
from kafka_nextgen.wire.messages import HeartbeatRequest, HeartbeatResponse

__all__ = ["handle"]


async def handle(request: HeartbeatRequest, context: Context) -> HeartbeatResponse:
    """Pass the heartbeat to the coordinator."""
    if not context.may(READ_GROUP, request.group_id):
        return to_response(HeartbeatAnswer(READ_GROUP.error))
    if not context.coordinates(request.group_id):
        return to_response(HeartbeatAnswer(ErrorCode.NOT_COORDINATOR))
    return to_response(context.cluster.groups.ask(from_request(request), HeartbeatAnswer))
