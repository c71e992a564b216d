"""Identify classic members of a consumer group (KIP-345; KIP-848, "Classic Members").

| what must hold | else |
|---|---|
| an instance id, if there is one, is known | UNKNOWN_MEMBER_ID |
| and is this member's | FENCED_INSTANCE_ID |
| the member is known | UNKNOWN_MEMBER_ID |
| it speaks the classic protocol, or only wants to leave | UNKNOWN_MEMBER_ID |
| its generation, if the request has one, is its member epoch | ILLEGAL_GENERATION |
"""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.group import Group

__all__ = ["classic_member_error", "identity_error", "instance_error"]


def classic_member_error(group: Group, member_id: str, instance_id: str | None, generation: int) -> ErrorCode:
    """Why this is not a classic member at this generation, or NONE."""
    error = identity_error(group, member_id, instance_id)
    if error is not ErrorCode.NONE:
        return error
    if not group.is_classic_member(member_id):
        return ErrorCode.UNKNOWN_MEMBER_ID
    is_current = generation == group.current(member_id).member_epoch
    return ErrorCode.NONE if is_current else ErrorCode.ILLEGAL_GENERATION


def identity_error(group: Group, member_id: str, instance_id: str | None) -> ErrorCode:
    """Why this is not a member of the group, or NONE."""
    error = instance_error(group, member_id, instance_id)
    if error is not ErrorCode.NONE:
        return error
    return ErrorCode.NONE if member_id in group.members else ErrorCode.UNKNOWN_MEMBER_ID


def instance_error(group: Group, member_id: str, instance_id: str | None) -> ErrorCode:
    """Why this member does not have that instance id, or NONE; also if it claims none."""
    if instance_id is None:
        return ErrorCode.NONE
    holder = group.instances.get(instance_id)
    if holder is None:
        return ErrorCode.UNKNOWN_MEMBER_ID
    return ErrorCode.NONE if holder == member_id else ErrorCode.FENCED_INSTANCE_ID
