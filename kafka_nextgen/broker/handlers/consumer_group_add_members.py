"""ConsumerGroupAddMembers: keep places for static members that are about to join, an extension."""

from __future__ import annotations

from kafka_nextgen.bridge.extensions.consumer_group_add_members import from_request, to_response
from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.security.rights import READ_GROUP
from kafka_nextgen.coordinator.extensions.responses import MembersAdded
from kafka_nextgen.wire.messages import ConsumerGroupAddMembersRequest, ConsumerGroupAddMembersResponse

__all__ = ["handle"]


async def handle(request: ConsumerGroupAddMembersRequest, context: Context) -> ConsumerGroupAddMembersResponse:
    """Ask the coordinator."""
    if refused := context.refusal_of_group(READ_GROUP, request.group_id):
        return to_response(MembersAdded(refused))
    return to_response(context.cluster.groups.ask(from_request(request), MembersAdded))
