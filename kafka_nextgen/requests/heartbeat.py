"""Heartbeat of the classic protocol, versions 0 to 4; the instance id is sent from version 3 on."""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership.classic.effects import SendClassicHeartbeat
from kafka_nextgen.membership.classic.events import SessionKept
from kafka_nextgen.membership.events import HeartbeatRefused
from kafka_nextgen.wire.messages import HeartbeatRequest, HeartbeatResponse

__all__ = ["to_event", "to_request"]


def to_request(effect: SendClassicHeartbeat, group_id: str) -> HeartbeatRequest:
    """Write a heartbeat."""
    return HeartbeatRequest(
        group_id=group_id,
        generation_id=effect.generation,
        member_id=effect.member_id,
        group_instance_id=effect.instance_id,
    )


def to_event(number: int, message: HeartbeatResponse) -> SessionKept | HeartbeatRefused:
    """Read the answer to heartbeat ``number``."""
    if message.error_code != ErrorCode.NONE:
        return HeartbeatRefused(number, message.error_code, None)
    return SessionKept(number)
