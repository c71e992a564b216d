"""Heartbeat of the classic protocol, versions 0 to 4, on the broker; version 3 has the instance id."""

from __future__ import annotations

from kafka_nextgen.testing.coordinator.classic.requests import Heartbeat
from kafka_nextgen.testing.coordinator.classic.responses import HeartbeatAnswer
from kafka_nextgen.wire.messages import HeartbeatRequest, HeartbeatResponse

__all__ = ["from_request", "to_response"]


def from_request(message: HeartbeatRequest) -> Heartbeat:
    """Read a heartbeat."""
    return Heartbeat(message.group_id, message.generation_id, message.member_id, message.group_instance_id)


def to_response(answer: HeartbeatAnswer) -> HeartbeatResponse:
    """Write the coordinator's answer."""
    return HeartbeatResponse(error_code=answer.error)
