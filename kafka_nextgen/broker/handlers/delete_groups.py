"""DeleteGroups: forget empty groups and their offsets (KIP-229)."""

from __future__ import annotations

from kafka_nextgen.bridge.delete_groups import from_request, to_response
from kafka_nextgen.broker.cluster import Context
from kafka_nextgen.broker.security.rights import DELETE_GROUP
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.requests import DeleteGroups
from kafka_nextgen.coordinator.responses import GroupsDeleted
from kafka_nextgen.wire.messages import DeleteGroupsRequest, DeleteGroupsResponse

__all__ = ["handle"]


async def handle(request: DeleteGroupsRequest, context: Context) -> DeleteGroupsResponse:
    """Delete the groups this node coordinates, and say of each what became of it."""
    asked = from_request(request)
    refused = {group_id: error for group_id in asked.group_ids if (error := _refusal(group_id, context))}
    own = tuple(group_id for group_id in asked.group_ids if group_id not in refused)
    deleted = context.cluster.groups.ask(DeleteGroups(own), GroupsDeleted)
    results = {group_id: refused.get(group_id) or deleted.results[group_id] for group_id in asked.group_ids}
    return to_response(GroupsDeleted(results))


def _refusal(group_id: str, context: Context) -> ErrorCode | None:
    if not context.may(DELETE_GROUP, group_id):
        return DELETE_GROUP.error
    return None if context.coordinates(group_id) else ErrorCode.NOT_COORDINATOR
