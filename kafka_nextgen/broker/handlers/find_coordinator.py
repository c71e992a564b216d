"""FindCoordinator: which node coordinates a group; several at once from version 4 on (KIP-699).

Only groups have coordinators here. Asking for that of a transaction is refused for good, so that a transactional
producer fails at once instead of asking again for ever.
"""

from __future__ import annotations

from kafka_nextgen.bridge.find_coordinator import GROUP, FoundCoordinator, from_request, to_response
from kafka_nextgen.broker.cluster import Context
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.messages import FindCoordinatorRequest, FindCoordinatorResponse

__all__ = ["handle"]


async def handle(request: FindCoordinatorRequest, context: Context) -> FindCoordinatorResponse:
    """Find the node of each key."""
    key_type, keys = from_request(request)
    return to_response([_find(key_type, key, context) for key in keys], context.version)


def _find(key_type: int, key: str, context: Context) -> FoundCoordinator:
    if key_type != GROUP:
        return FoundCoordinator(
            key,
            error=ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
            message="this broker coordinates groups only; it has no transactions and no share groups",
        )
    node = context.cluster.coordinator_of(key)
    address = context.endpoint(node)
    return FoundCoordinator(key, node.node_id, address.host, address.port)
