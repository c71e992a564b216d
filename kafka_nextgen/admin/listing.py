"""Listing groups: every broker knows those it coordinates, so every broker is asked.

States can be asked for from ListGroups 4 on (KIP-518), types from 5 on (KIP-848). A broker too old for a filter is
among those that failed, for without it nobody knows what it leaves out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection

from kafka_nextgen.admin.asking import Asking, Question
from kafka_nextgen.admin.values import GroupListing, GroupState, GroupType, ListedGroups, named
from kafka_nextgen.bridge import list_groups as bridge
from kafka_nextgen.coordinator.responses import ListedGroup
from kafka_nextgen.errors import KafkaNextgenError
from kafka_nextgen.transport.cluster import Node
from kafka_nextgen.transport.deadline import Deadline
from kafka_nextgen.wire.apis import LIST_GROUPS, Api
from kafka_nextgen.wire.messages import ListGroupsResponse

__all__ = ["list_groups"]

_WITH_STATES, _WITH_TYPES = 4, 5


async def list_groups(
    asking: Asking, types: Collection[GroupType], states: Collection[GroupState], deadline: Deadline
) -> ListedGroups:
    """The groups of all brokers. Raises the first broker's error if none of them answers."""
    await asking.cluster.refresh_metadata(topics=(), timeout_s=deadline.left_s())
    nodes = sorted(asking.cluster.metadata.brokers)
    asked = [_list_of(asking, node, types, states, deadline) for node in nodes]
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


async def _list_of(
    asking: Asking, node: int, types: Collection[GroupType], states: Collection[GroupState], deadline: Deadline
) -> list[GroupListing]:
    wanted_types, wanted_states = [kind.value for kind in types], [state.value for state in states]
    question = Question(
        about=f"broker {node}: listing groups",
        target=Node(node),
        api=_new_enough(types, states),
        build=lambda version: bridge.to_request(wanted_states, wanted_types),
        answer=ListGroupsResponse,
        refusal=lambda answer: (answer.error_code, None),
    )
    _, listed = bridge.from_response(await asking.ask(question, deadline))
    return [_listing(group) for group in listed.groups]


def _new_enough(types: Collection[GroupType], states: Collection[GroupState]) -> Api:
    if types:
        return LIST_GROUPS.at_least(_WITH_TYPES)
    return LIST_GROUPS.at_least(_WITH_STATES) if states else LIST_GROUPS


def _listing(group: ListedGroup) -> GroupListing:
    return GroupListing(
        group_id=group.group_id,
        type=named(GroupType, group.group_type or GroupType.UNKNOWN),
        state=named(GroupState, group.state or GroupState.UNKNOWN),
        protocol_type=group.protocol_type,
    )
