"""ListGroups: the groups this node coordinates, by state and type if asked (KIP-518, KIP-848).

Clients ask every node. A client that may not describe the cluster sees the groups that it may describe.
"""

from __future__ import annotations

from kafka_nextgen.bridge.list_groups import from_request, to_response
from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.security.rights import DESCRIBE_CLUSTER, DESCRIBE_GROUP
from kafka_nextgen.coordinator.responses import GroupsListed
from kafka_nextgen.wire.messages import ListGroupsRequest, ListGroupsResponse

__all__ = ["handle"]


async def handle(request: ListGroupsRequest, context: Context) -> ListGroupsResponse:
    """List this node's groups."""
    listed = context.cluster.groups.list_groups(from_request(request), context.node.node_id)
    may_see_all = context.may(DESCRIBE_CLUSTER)
    own = tuple(group for group in listed.groups if may_see_all or context.may(DESCRIBE_GROUP, group.group_id))
    return to_response(GroupsListed(own, listed.error))
