"""DeleteGroups: delete empty groups and their offsets (KIP-229)."""

from __future__ import annotations

from kafka_nextgen.bridge.delete_groups import from_request, to_response
from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.security.rights import DELETE_GROUP
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.requests import DeleteGroups
from kafka_nextgen.coordinator.responses import GroupsDeleted
from kafka_nextgen.wire.messages import DeleteGroupsRequest, DeleteGroupsResponse

__all__ = ["handle"]


async def handle(request: DeleteGroupsRequest, context: Context) -> DeleteGroupsResponse:
    """Delete the groups this node coordinates; return a result for each."""
    return to_response(
        GroupsDeleted({group_id: _delete(group_id, context) for group_id in from_request(request).group_ids})
    )


def _delete(group_id: str, context: Context) -> ErrorCode:
    if error := context.group_error(DELETE_GROUP, group_id):
        return error
    return context.cluster.groups.ask(DeleteGroups((group_id,)), GroupsDeleted).results[group_id]
