"""ListGroups, versions 0 to 5: the groups that a broker coordinates.

Version 4 adds states, both as a filter and in the answer (KIP-518); version 5 adds types in the same way (KIP-848).
"""

from __future__ import annotations

from collections.abc import Collection

from kafka_nextgen.groups.listed import GroupsListed, ListedGroup
from kafka_nextgen.wire.field_map import FieldMap
from kafka_nextgen.wire.messages import ListGroupsRequest, ListGroupsResponse

__all__ = ["GROUP", "from_response", "to_request"]

#: An entry in the response.
GROUP = FieldMap(ListedGroup, ListGroupsResponse.ListedGroup, state="group_state")


def to_request(states: Collection[str] = (), types: Collection[str] = ()) -> ListGroupsRequest:
    """Request all groups, or those in one of ``states`` and of one of ``types``; older versions have no filters."""
    return ListGroupsRequest(states_filter=sorted(states), types_filter=sorted(types))


def from_response(message: ListGroupsResponse) -> tuple[int, GroupsListed]:
    """Read the error code (0 for none) and the groups; fields that the version lacks are empty."""
    return message.error_code, GroupsListed(tuple(map(GROUP.from_structure, message.groups)))
