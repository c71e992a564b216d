"""ListGroups, versions 0 to 5, on the broker."""

from __future__ import annotations

from kafka_nextgen.groups.listed import GroupsListed
from kafka_nextgen.requests.list_groups import GROUP
from kafka_nextgen.testing.coordinator.requests import ListGroups
from kafka_nextgen.wire.messages import ListGroupsRequest, ListGroupsResponse

__all__ = ["from_request", "to_response"]


def from_request(message: ListGroupsRequest) -> ListGroups:
    """Read the filters for the groups to list."""
    return ListGroups(frozenset(message.states_filter), frozenset(message.types_filter))


def to_response(answer: GroupsListed) -> ListGroupsResponse:
    """Write the groups."""
    return ListGroupsResponse(error_code=answer.error, groups=list(map(GROUP.to_structure, answer.groups)))
