"""ConsumerGroupPrepareAssignment: what there is to assign, for the member that is to compute it (KIP-848).

Whoever may READ the group sees all topics that its members subscribe to, by name: nobody could assign what is hidden.
"""

from __future__ import annotations

from kafka_nextgen.bridge.extensions.consumer_group_prepare_assignment import from_request, to_response
from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.security.rights import READ_GROUP
from kafka_nextgen.coordinator.extensions.responses import AssignmentPrepared
from kafka_nextgen.wire.messages import (
    ConsumerGroupPrepareAssignmentRequest,
    ConsumerGroupPrepareAssignmentResponse,
)

__all__ = ["handle"]


async def handle(
    request: ConsumerGroupPrepareAssignmentRequest, context: Context
) -> ConsumerGroupPrepareAssignmentResponse:
    """Ask the coordinator."""
    if refused := context.refusal_of_group(READ_GROUP, request.group_id):
        return to_response(AssignmentPrepared(refused))
    return to_response(context.cluster.groups.ask(from_request(request), AssignmentPrepared))
