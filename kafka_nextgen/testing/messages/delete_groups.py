"""DeleteGroups, versions 0 to 3, on the broker."""

from __future__ import annotations

from kafka_nextgen.groups.listed import GroupsDeleted
from kafka_nextgen.testing.coordinator.requests import DeleteGroups
from kafka_nextgen.wire.messages import DeleteGroupsRequest, DeleteGroupsResponse

__all__ = ["from_request", "to_response"]

_Result = DeleteGroupsResponse.DeletableGroupResult


def from_request(message: DeleteGroupsRequest) -> DeleteGroups:
    """Read the ids of the groups to delete, without duplicates."""
    return DeleteGroups(tuple(dict.fromkeys(message.groups_names)))


def to_response(answer: GroupsDeleted) -> DeleteGroupsResponse:
    """Write the result for each group."""
    return DeleteGroupsResponse(
        results=[
            _Result(group_id=group_id, error_code=error, error_message=answer.messages.get(group_id))
            for group_id, error in answer.results.items()
        ]
    )
