"""FindCoordinator: which node coordinates a group or a transactional id; several at once from version 4 on (KIP-699).

There are no share groups here (KIP-932): requests for their coordinators are invalid.
"""

from __future__ import annotations

from kafka_nextgen.bridge.find_coordinator import GROUP, TRANSACTION, FoundCoordinator, from_request, to_response
from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.security.rights import DESCRIBE_GROUP, DESCRIBE_TRANSACTIONAL_ID
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.messages import FindCoordinatorRequest, FindCoordinatorResponse

__all__ = ["handle"]


async def handle(request: FindCoordinatorRequest, context: Context) -> FindCoordinatorResponse:
    """Find the node of each key."""
    key_type, keys = from_request(request)
    return to_response([_find(key_type, key, context) for key in keys], context.version)


def _find(key_type: int, key: str, context: Context) -> FoundCoordinator:
    if key_type not in (GROUP, TRANSACTION):
        message = "this broker coordinates groups and transactions; it has no share groups"
        return FoundCoordinator(key, error=ErrorCode.INVALID_REQUEST, message=message)
    right = DESCRIBE_GROUP if key_type == GROUP else DESCRIBE_TRANSACTIONAL_ID
    if not context.may(right, key):
        return FoundCoordinator(key, error=right.error, message="")
    cluster = context.cluster
    node = cluster.coordinator_of(key) if key_type == GROUP else cluster.transaction_coordinator_of(key)
    if node is None:
        message = f"no replica of the partition that group {key} is kept in is alive"
        return FoundCoordinator(key, error=ErrorCode.COORDINATOR_NOT_AVAILABLE, message=message)
    address = context.endpoint(node)
    return FoundCoordinator(key, node.node_id, address.host, address.port)
