"""What a heartbeat says of a member's own assignors, and whether it asks for a new assignment by that.

Null means unchanged; of a member that joins it means that it has none, whatever its instance had before. A reason other
than 0 asks each time it is said, other metadata than before once; but only if an assignor of theirs is, or was, to hear
of it. Where the coordinator assigns, nobody does.
"""

from __future__ import annotations

from kafka_nextgen.coordinator.draft import Draft
from kafka_nextgen.coordinator.extensions.offers import common_assignor
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


def asks_for_assignment(draft: Draft, known: MemberMetadata, request: ConsumerGroupHeartbeat) -> bool:
    """Whether the member's word to its assignors is news to them, as the group knows it by now."""
    if not request.client_assignors and not known.client_assignors:
        return False
    now = client_assignors_after(known, request)
    has_reason = any(assignor.reason for assignor in request.client_assignors or ())
    if not has_reason and _metadata(now) == _metadata(known.client_assignors):
        return False
    return draft.group.client_assignor is not None or common_assignor(draft.group, draft.settings) is not None


def _metadata(assignors: tuple[ClientAssignor, ...]) -> dict[str, object]:
    return {assignor.name: assignor.metadata for assignor in assignors}
