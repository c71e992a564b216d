"""JoinGroup with the member's join reason, from version 6 on."""

from __future__ import annotations

from kafka_nextgen.membership.classic.effects import SendJoinGroup
from kafka_nextgen.requests import join_group as plain
from kafka_nextgen.wire.messages import JoinGroupRequest

__all__ = ["to_request"]

_WITH_TAGS = 6


def to_request(
    effect: SendJoinGroup, group_id: str, version: int, *, with_extensions: bool = False
) -> JoinGroupRequest:
    """Write a JoinGroup; with tags only if ``with_extensions``. Raises the same errors as the version without tags."""
    message = plain.to_request(effect, group_id, version)
    return message.replaced(join_reason=effect.join_reason) if with_extensions and version >= _WITH_TAGS else message
