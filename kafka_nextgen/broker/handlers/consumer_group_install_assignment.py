"""ConsumerGroupInstallAssignment: put in force what a member computed (KIP-848)."""

from __future__ import annotations

from kafka_nextgen.bridge.extensions.consumer_group_install_assignment import from_request, to_response
from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.security.rights import READ_GROUP
from kafka_nextgen.coordinator.extensions.responses import AssignmentInstalled
from kafka_nextgen.wire.messages import (
    ConsumerGroupInstallAssignmentRequest,
    ConsumerGroupInstallAssignmentResponse,
)

__all__ = ["handle"]


async def handle(
    request: ConsumerGroupInstallAssignmentRequest, context: Context
) -> ConsumerGroupInstallAssignmentResponse:
    """Ask the coordinator."""
    if refused := context.refusal_of_group(READ_GROUP, request.group_id):
        return to_response(AssignmentInstalled(refused))
    return to_response(context.cluster.groups.ask(from_request(request), AssignmentInstalled))
