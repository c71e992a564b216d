"""FindCoordinator, versions 0 to 6: which broker coordinates a group.

Up to version 3 a request has one key, and the answer has its fields at the top level; from 4 on both contain lists
(KIP-699).
"""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.requests.cluster_image import check_address
from kafka_nextgen.wire.messages import FindCoordinatorRequest, FindCoordinatorResponse

__all__ = ["GROUP", "TRANSACTION", "FoundCoordinator", "from_response", "to_request"]

#: The key type of groups; Kafka's others are transactional ids (1) and share partitions (2).
GROUP = 0
TRANSACTION = 1
_WITH_KEYS = 4


@frozen
class FoundCoordinator:
    """The coordinator of ``key``, or why it could not be found (``error`` is a code, 0 for none)."""

    key: str
    node_id: int = -1
    host: str = ""
    port: int = -1
    error: int = ErrorCode.NONE
    message: str | None = None


def to_request(group_id: str, version: int) -> FindCoordinatorRequest:
    """Request a group's coordinator."""
    if version >= _WITH_KEYS:
        return FindCoordinatorRequest(key_type=GROUP, coordinator_keys=[group_id])
    return FindCoordinatorRequest(key=group_id, key_type=GROUP)


def from_response(message: FindCoordinatorResponse, group_id: str) -> FoundCoordinator:
    """Read the coordinator of ``group_id``. Raises ``DecodeError`` for a missing group or an invalid address."""
    if message.version < _WITH_KEYS:
        return _found(group_id, message)
    for coordinator in message.coordinators:
        if coordinator.key == group_id:
            return _found(group_id, coordinator)
    raise DecodeError(f"the response to FindCoordinator lacks group {group_id}")


def _found(group_id: str, fields: FindCoordinatorResponse | FindCoordinatorResponse.Coordinator) -> FoundCoordinator:
    if fields.error_code != ErrorCode.NONE:
        return FoundCoordinator(group_id, error=fields.error_code, message=fields.error_message)
    check_address(fields.node_id, fields.host, fields.port)
    return FoundCoordinator(group_id, fields.node_id, fields.host, fields.port)
