"""JoinGroup, on the broker, with the member's join reason from version 6 on."""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.testing.coordinator.classic.requests import JoinGroup
from kafka_nextgen.testing.messages import join_group as plain
from kafka_nextgen.wire.extensions.fields import join_reason
from kafka_nextgen.wire.messages import JoinGroupRequest

__all__ = ["from_request"]


def from_request(
    message: JoinGroupRequest,
    number: int,
    client_id: str,
    client_host: str,
    new_member_id: str,
    *,
    with_extensions: bool = False,
) -> JoinGroup:
    """Convert a JoinGroup to a request of the coordinator; read tagged fields only if ``with_extensions``."""
    join = plain.from_request(message, number, client_id, client_host, new_member_id)
    return evolve(join, join_reason=join_reason(message.join_reason)) if with_extensions else join
