"""ConsumerGroupHeartbeat, on the broker, with KIP-848's fields for client-side assignors and the fields of standbys."""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.requests.consumer_group_heartbeat import topic_partitions
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat
from kafka_nextgen.testing.coordinator.responses import ConsumerGroupHeartbeatAnswer
from kafka_nextgen.testing.messages import consumer_group_heartbeat as plain
from kafka_nextgen.wire.extensions.fields import ASSIGNOR, METADATA
from kafka_nextgen.wire.extensions.fields import join_reason as join_reason_of
from kafka_nextgen.wire.extensions.fields import standby_state as standby_state_of
from kafka_nextgen.wire.messages import ConsumerGroupHeartbeatRequest, ConsumerGroupHeartbeatResponse

__all__ = ["from_request", "to_response"]

_Assignment = ConsumerGroupHeartbeatResponse.Assignment


def from_request(
    message: ConsumerGroupHeartbeatRequest,
    client_id: str,
    client_host: str,
    new_member_id: str = "",
    *,
    with_extensions: bool = False,
) -> ConsumerGroupHeartbeat:
    """Convert a heartbeat to a request of the coordinator; read tagged fields only if ``with_extensions``."""
    heartbeat = plain.from_request(message, client_id, client_host, new_member_id)
    if not with_extensions:
        return heartbeat
    assignors, reason = message.client_assignors, join_reason_of(message.join_reason)
    state = standby_state_of(message.standby_state)
    if assignors is None and not (reason or state):
        return heartbeat
    told = None if assignors is None else tuple(map(ASSIGNOR.from_structure, assignors))
    return evolve(heartbeat, client_assignors=told, join_reason=reason, standby_state=state)


def to_response(
    answer: ConsumerGroupHeartbeatAnswer, *, with_extensions: bool = False
) -> ConsumerGroupHeartbeatResponse:
    """Write the coordinator's answer, with tagged fields only if ``with_extensions``."""
    message = plain.to_response(answer)
    if not with_extensions:
        return message
    return message.replaced(
        assignment=None if message.assignment is None else _extended(message.assignment, answer),
        should_compute_assignment=answer.should_compute,
        assignment_message=answer.assignment_message,
        standby_place=answer.standby_place,
    )


def _extended(assignment: _Assignment, answer: ConsumerGroupHeartbeatAnswer) -> _Assignment:
    return assignment.replaced(
        error=answer.assignment_error,
        assignor_name=answer.assignment_assignor,
        pending_topic_partitions=topic_partitions(answer.pending),
        **METADATA.to_fields(answer.assignment_metadata),
    )
