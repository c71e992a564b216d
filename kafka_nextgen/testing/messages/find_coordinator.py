"""FindCoordinator, versions 0 to 6, on the broker.

Up to version 3 a request has one key, and the answer has its fields at the top level; from 4 on both are lists
(KIP-699).
"""

from __future__ import annotations

from collections.abc import Sequence

from kafka_nextgen.requests.find_coordinator import FoundCoordinator
from kafka_nextgen.wire.messages import FindCoordinatorRequest, FindCoordinatorResponse

__all__ = ["from_request", "to_response"]

_WITH_KEYS = 4

_Coordinator = FindCoordinatorResponse.Coordinator


def from_request(message: FindCoordinatorRequest) -> tuple[int, tuple[str, ...]]:
    """Read the type of the keys, and the keys."""
    if message.version < _WITH_KEYS:
        return message.key_type, (message.key,)
    return message.key_type, tuple(message.coordinator_keys)


def to_response(found: Sequence[FoundCoordinator], version: int) -> FindCoordinatorResponse:
    """Write an answer, one entry per key; up to version 3 there is exactly one."""
    if version >= _WITH_KEYS:
        return FindCoordinatorResponse(coordinators=[_to(entry) for entry in found])
    (only,) = found
    return FindCoordinatorResponse(
        error_code=only.error,
        error_message=_message(only),
        node_id=only.node_id,
        host=only.host,
        port=only.port,
    )


def _to(found: FoundCoordinator) -> _Coordinator:
    return _Coordinator(
        key=found.key,
        node_id=found.node_id,
        host=found.host,
        port=found.port,
        error_code=found.error,
        error_message=_message(found),
    )


def _message(found: FoundCoordinator) -> str | None:
    """The error message. Kafka sends one for every coordinator, even if it is empty."""
    return found.message if found.error else ""
