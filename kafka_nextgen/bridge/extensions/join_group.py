"""JoinGroup with what a member states, from version 6 on, from both ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import evolve

from kafka_nextgen.bridge import join_group as plain
from kafka_nextgen.bridge.extensions.fields import join_reason
from kafka_nextgen.membership.classic.effects import SendJoinGroup
from kafka_nextgen.wire.messages import JoinGroupRequest

if TYPE_CHECKING:  # the broker's half is imported where it is used: a consumer has no use for it
    from kafka_nextgen.testing.coordinator.classic.requests import JoinGroup

__all__ = ["from_request", "to_request"]

_WITH_TAGS = 6


def to_request(
    effect: SendJoinGroup, group_id: str, version: int, *, with_extensions: bool = False
) -> JoinGroupRequest:
    """Write a JoinGroup, tags only ``with_extensions``. Raises ``UnsupportedProtocolError`` as without."""
    message = plain.to_request(effect, group_id, version)
    return message.replaced(join_reason=effect.join_reason) if with_extensions and version >= _WITH_TAGS else message


def from_request(
    message: JoinGroupRequest,
    number: int,
    client_id: str,
    client_host: str,
    new_member_id: str,
    *,
    with_extensions: bool = False,
) -> JoinGroup:
    """Read a JoinGroup as the coordinator wants it, tags only ``with_extensions``."""
    join = plain.from_request(message, number, client_id, client_host, new_member_id)
    return evolve(join, join_reason=join_reason(message.join_reason)) if with_extensions else join
