"""List groups: each broker lists the groups it coordinates, so the request goes to all brokers.

ListGroups filters by state from version 4 on (KIP-518), by type from 5 on (KIP-848). A broker that is too old for a
filter counts as failed, because it can't filter its groups.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import TYPE_CHECKING

from kafka_nextgen.admin.values import GroupListing, GroupState, GroupType, ListedGroups, parse_enum
from kafka_nextgen.errors import KafkaNextgenError
from kafka_nextgen.requests.list_groups import from_response, to_request
from kafka_nextgen.transport.cluster import Node
from kafka_nextgen.wire.apis import LIST_GROUPS, Api

if TYPE_CHECKING:
    from kafka_nextgen.admin.requests import AdminCall
    from kafka_nextgen.groups.listed import ListedGroup

__all__ = ["list_groups"]

_WITH_STATES, _WITH_TYPES = 4, 5


async def list_groups(call: AdminCall, types: Collection[GroupType], states: Collection[GroupState]) -> ListedGroups:
    """Return the groups of all brokers. Raises the first broker's error if all fail."""
    await call.cluster.refresh_metadata(topics=(), timeout_s=call.deadline.left_s())
    nodes = sorted(call.cluster.metadata.brokers)
    asked = [_list_on_broker(call, node, types, states) for node in nodes]
    found: dict[str, GroupListing] = {}
    failed: dict[int, KafkaNextgenError] = {}
    for node, answer in zip(nodes, await asyncio.gather(*asked, return_exceptions=True), strict=True):
        if isinstance(answer, KafkaNextgenError):
            failed[node] = answer
        elif isinstance(answer, BaseException):
            raise answer
        else:
            found.update({listing.group_id: listing for listing in answer})
    if len(failed) == len(nodes) and nodes:
        raise failed[nodes[0]]
    return ListedGroups(tuple(found[group_id] for group_id in sorted(found)), failed)


async def _list_on_broker(
    call: AdminCall, node: int, types: Collection[GroupType], states: Collection[GroupState]
) -> list[GroupListing]:
    wanted_types, wanted_states = [kind.value for kind in types], [state.value for state in states]
    _, listed = await call.send(
        f"broker {node}: listing groups",
        Node(node),
        _api_for(types, states),
        build=lambda version: to_request(wanted_states, wanted_types),
        read=from_response,
        error_in=lambda result: (result[0], None),
    )
    return [_listing(group) for group in listed.groups]


def _api_for(types: Collection[GroupType], states: Collection[GroupState]) -> Api:
    if types:
        return LIST_GROUPS.at_least(_WITH_TYPES)
    return LIST_GROUPS.at_least(_WITH_STATES) if states else LIST_GROUPS


def _listing(group: ListedGroup) -> GroupListing:
    return GroupListing(
        group_id=group.group_id,
        type=parse_enum(GroupType, group.group_type or GroupType.UNKNOWN),
        state=parse_enum(GroupState, group.state or GroupState.UNKNOWN),
        protocol_type=group.protocol_type,
    )
