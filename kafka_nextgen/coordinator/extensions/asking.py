"""What a heartbeat says of a member's own assignors, and whether it asks for a new assignment by that.

Null means unchanged; of a member that joins it means that it has none, whatever its instance had before. A reason other
than 0 asks each time it is said, other metadata than before once.
"""

from __future__ import annotations

from kafka_nextgen.coordinator.extensions.requests import ClientAssignor
from kafka_nextgen.coordinator.records import MemberMetadata
from kafka_nextgen.coordinator.requests import ConsumerGroupHeartbeat
from kafka_nextgen.coordinator.validation import JOIN

__all__ = ["asks_for_assignment", "client_assignors_after"]


def client_assignors_after(known: MemberMetadata, request: ConsumerGroupHeartbeat) -> tuple[ClientAssignor, ...]:
    """The assignors that the member has from now on."""
    if request.client_assignors is not None:
        return request.client_assignors
    is_elsewhere = request.member_epoch == JOIN or request.server_assignor is not None
    return () if is_elsewhere else known.client_assignors


def asks_for_assignment(known: MemberMetadata, request: ConsumerGroupHeartbeat) -> bool:
    """Whether the member's word to its assignors is news to them."""
    now = client_assignors_after(known, request)
    has_reason = any(assignor.reason for assignor in request.client_assignors or ())
    return has_reason or _metadata(now) != _metadata(known.client_assignors)


def _metadata(assignors: tuple[ClientAssignor, ...]) -> dict[str, object]:
    return {assignor.name: assignor.metadata for assignor in assignors}
