"""JoinGroup: join a classic group, or its next generation; answered when all others have (KIP-62, KIP-394).

The names of members are made here: of the client's id, or the instance id of a static member, and something nobody
else has.
"""

from __future__ import annotations

from uuid import uuid4

from kafka_nextgen.bridge.extensions.join_group import from_request
from kafka_nextgen.bridge.join_group import to_response
from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.security.rights import READ_GROUP
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.classic.responses import JoinGroupAnswer
from kafka_nextgen.wire.messages import JoinGroupRequest, JoinGroupResponse

__all__ = ["handle"]


async def handle(request: JoinGroupRequest, context: Context) -> JoinGroupResponse | None:
    """Pass the join to the coordinator, and wait for the generation to begin."""
    if not context.may(READ_GROUP, request.group_id):
        return to_response(JoinGroupAnswer(READ_GROUP.error), context.version)
    if not context.coordinates(request.group_id):
        return to_response(JoinGroupAnswer(ErrorCode.NOT_COORDINATOR), context.version)
    groups = context.cluster.groups
    new_member_id = f"{request.group_instance_id or context.client_id}-{uuid4()}"
    join = from_request(
        request,
        groups.new_number(),
        context.client_id,
        context.client_host,
        new_member_id,
        with_extensions=context.speaks_extensions,
    )
    answer = await groups.ask_and_wait(join, JoinGroupAnswer)
    return None if answer is None else to_response(answer, context.version)
