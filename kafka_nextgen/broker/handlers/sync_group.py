"""SyncGroup: get one's part of the assignment, which the leader brings; answered when it has (KIP-62).

From version 5 on a request has to name the protocol it means (KIP-559), and is refused else, whoever it is from.
"""

from __future__ import annotations

from kafka_nextgen.bridge.sync_group import from_request, to_response
from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.security.rights import READ_GROUP
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.classic.responses import SyncGroupAnswer
from kafka_nextgen.wire.messages import SyncGroupRequest, SyncGroupResponse

__all__ = ["handle"]

_NAMES_PROTOCOL = 5


async def handle(request: SyncGroupRequest, context: Context) -> SyncGroupResponse | None:
    """Pass the request to the coordinator, and wait for the assignment."""
    if context.version >= _NAMES_PROTOCOL and None in (request.protocol_type, request.protocol_name):
        return to_response(SyncGroupAnswer(ErrorCode.INCONSISTENT_GROUP_PROTOCOL))
    if not context.may(READ_GROUP, request.group_id):
        return to_response(SyncGroupAnswer(READ_GROUP.error))
    if not context.coordinates(request.group_id):
        return to_response(SyncGroupAnswer(ErrorCode.NOT_COORDINATOR))
    groups = context.cluster.groups
    answer = await groups.ask_and_wait(from_request(request, groups.new_number()), SyncGroupAnswer)
    return None if answer is None else to_response(answer)
