"""ListGroups, versions 0 to 5: the groups that a broker coordinates.

States can be asked for and are told from version 4 on (KIP-518), types from version 5 on (KIP-848).
"""

from __future__ import annotations

from collections.abc import Collection

from kafka_nextgen.groups.listed import GroupsListed, ListedGroup
from kafka_nextgen.wire.field_map import FieldMap
from kafka_nextgen.wire.messages import ListGroupsRequest, ListGroupsResponse

__all__ = ["GROUP", "from_response", "to_request"]

#: An entry of the answer.
GROUP = FieldMap(ListedGroup, ListGroupsResponse.ListedGroup, state="group_state")


def to_request(states: Collection[str] = (), types: Collection[str] = ()) -> ListGroupsRequest:
    """Ask for all groups, or those in one of ``states`` and of one of ``types``; older versions ask for all."""
    return ListGroupsRequest(states_filter=sorted(states), types_filter=sorted(types))


def from_response(message: ListGroupsResponse) -> tuple[int, GroupsListed]:
    """Read the error code (0 for none) and the groups; what the version does not tell is empty."""
    return message.error_code, GroupsListed(tuple(map(GROUP.from_structure, message.groups)))
