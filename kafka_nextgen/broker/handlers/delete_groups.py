"""DeleteGroups: forget empty groups and their offsets (KIP-229)."""

from __future__ import annotations

from kafka_nextgen.bridge.delete_groups import from_request, to_response
from kafka_nextgen.broker.cluster import Context
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.requests import DeleteGroups
from kafka_nextgen.coordinator.responses import GroupsDeleted
from kafka_nextgen.wire.messages import DeleteGroupsRequest, DeleteGroupsResponse

__all__ = ["handle"]


async def handle(request: DeleteGroupsRequest, context: Context) -> DeleteGroupsResponse:
    """Delete the groups this node coordinates, and say of each what became of it."""
    asked = from_request(request)
    own = tuple(group_id for group_id in asked.group_ids if context.coordinates(group_id))
    deleted = context.cluster.groups.ask(DeleteGroups(own), GroupsDeleted)
    results = {group_id: deleted.results.get(group_id, ErrorCode.NOT_COORDINATOR) for group_id in asked.group_ids}
    return to_response(GroupsDeleted(results))
