"""SyncGroup, versions 0 to 5, on the broker."""

from __future__ import annotations

from kafka_nextgen.testing.coordinator.classic.requests import SyncGroup
from kafka_nextgen.testing.coordinator.classic.responses import SyncGroupAnswer
from kafka_nextgen.wire.messages import SyncGroupRequest, SyncGroupResponse

__all__ = ["from_request", "to_response"]


def from_request(message: SyncGroupRequest, number: int) -> SyncGroup:
    """Read a SyncGroup; its answer can be released by ``number``."""
    return SyncGroup(
        number=number,
        group_id=message.group_id,
        generation=message.generation_id,
        member_id=message.member_id,
        instance_id=message.group_instance_id,
        protocol_type=message.protocol_type,
        protocol_name=message.protocol_name,
        assignments=tuple((part.member_id, bytes(part.assignment)) for part in message.assignments),
    )


def to_response(answer: SyncGroupAnswer) -> SyncGroupResponse:
    """Write the coordinator's answer."""
    return SyncGroupResponse(
        error_code=answer.error,
        protocol_type=answer.protocol_type,
        protocol_name=answer.protocol_name,
        assignment=answer.assignment,
    )
