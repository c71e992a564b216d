"""JoinGroup, SyncGroup, Heartbeat and LeaveGroup: membership in classic groups (KIP-62, KIP-345, KIP-394, KIP-559)."""

from __future__ import annotations

from uuid import uuid4

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.leaving import LeaveGroupAnswer
from kafka_nextgen.testing.broker.context import Context
from kafka_nextgen.testing.broker.security.acls import Right
from kafka_nextgen.testing.coordinator.classic.responses import HeartbeatAnswer, JoinGroupAnswer, SyncGroupAnswer
from kafka_nextgen.testing.messages import heartbeat as heartbeat_messages
from kafka_nextgen.testing.messages import leave_group as leave_messages
from kafka_nextgen.testing.messages import sync_group as sync_messages
from kafka_nextgen.testing.messages.extensions.join_group import from_request as join_from_request
from kafka_nextgen.testing.messages.join_group import to_response as join_to_response
from kafka_nextgen.wire import messages as m

__all__ = ["heartbeat", "join_group", "leave_group", "sync_group"]

_SYNC_NAMES_PROTOCOL = 5


async def join_group(request: m.JoinGroupRequest, context: Context) -> m.JoinGroupResponse | None:
    """Join the group's next generation; the response waits until that generation begins.

    A new member's id is unique. It begins with the instance id for a static member, and with the client id for others.
    """
    if error := context.group_error(Right.READ_GROUP, request.group_id):
        return join_to_response(JoinGroupAnswer(error), context.version)
    groups = context.cluster.groups
    new_member_id = f"{request.group_instance_id or context.client_id}-{uuid4()}"
    join = join_from_request(
        request,
        groups.new_number(),
        context.client_id,
        context.client_host,
        new_member_id,
        with_extensions=context.speaks_extensions,
    )
    answer = await groups.ask_and_wait(join, JoinGroupAnswer)
    return None if answer is None else join_to_response(answer, context.version)


async def sync_group(request: m.SyncGroupRequest, context: Context) -> m.SyncGroupResponse | None:
    """Get the member's assignment; the response waits until the leader has sent all assignments.

    From version 5 on, a request without a protocol type and name is refused before its group is looked up.
    """
    if context.version >= _SYNC_NAMES_PROTOCOL and None in (request.protocol_type, request.protocol_name):
        return sync_messages.to_response(SyncGroupAnswer(ErrorCode.INCONSISTENT_GROUP_PROTOCOL))
    if error := context.group_error(Right.READ_GROUP, request.group_id):
        return sync_messages.to_response(SyncGroupAnswer(error))
    groups = context.cluster.groups
    answer = await groups.ask_and_wait(sync_messages.from_request(request, groups.new_number()), SyncGroupAnswer)
    return None if answer is None else sync_messages.to_response(answer)


async def heartbeat(request: m.HeartbeatRequest, context: Context) -> m.HeartbeatResponse:
    """Keep the member's session alive; the response says whether the group is rebalancing."""
    asked = heartbeat_messages.from_request(request)
    return heartbeat_messages.to_response(context.ask_group(Right.READ_GROUP, asked, HeartbeatAnswer))


async def leave_group(request: m.LeaveGroupRequest, context: Context) -> m.LeaveGroupResponse:
    """Remove members by member id or instance id; return a result for each."""
    asked = leave_messages.from_request(request)
    return leave_messages.to_response(context.ask_group(Right.READ_GROUP, asked, LeaveGroupAnswer), context.version)
