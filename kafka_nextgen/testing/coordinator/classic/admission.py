"""Which members may join, and how they are identified: two tables, read from the top (KIP-345, KIP-394).

To join:

| what must hold | else |
|---|---|
| the group id is not empty | INVALID_GROUP_ID |
| the session timeout is within the broker's bounds | INVALID_SESSION_TIMEOUT |
| the group exists, or the member joins without an id, which creates it | UNKNOWN_MEMBER_ID |
| the group is empty, or has room; while members join, only those that have joined count | GROUP_MAX_SIZE_REACHED |
| the group is empty, or the member has its type and offers a protocol that all members offer | \
INCONSISTENT_GROUP_PROTOCOL |

To be identified as a member in any request, including those to a consumer group:

| what must hold | else |
|---|---|
| an instance id, if there is one, is known | UNKNOWN_MEMBER_ID |
| and is this member's | FENCED_INSTANCE_ID |
| the member is known | UNKNOWN_MEMBER_ID |

Without an instance id only the last rule is checked: the member id of a static member alone is valid, too.
"""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.coordinator.classic.group import ClassicGroup, ClassicStatus
from kafka_nextgen.testing.coordinator.classic.requests import Heartbeat, JoinGroup, SyncGroup
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings

__all__ = [
    "can_skip_assignment",
    "generation_error",
    "has_room",
    "has_to_come_with_id",
    "identity_error",
    "instance_error",
    "is_consistent",
    "malformed_error",
]

_GIVES_IDS_FIRST = 4
_CAN_SKIP_ASSIGNMENT = 9


def malformed_error(request: JoinGroup, settings: CoordinatorSettings) -> ErrorCode:
    """Why a JoinGroup is invalid for any group, or NONE."""
    if not request.group_id:
        return ErrorCode.INVALID_GROUP_ID
    low, high = settings.group_min_session_timeout_ms, settings.group_max_session_timeout_ms
    if not low <= request.session_timeout_ms <= high:
        return ErrorCode.INVALID_SESSION_TIMEOUT
    return ErrorCode.NONE


def has_to_come_with_id(request: JoinGroup) -> bool:
    """Whether the member only gets an id, and has to join again with it (KIP-394)."""
    is_dynamic = request.instance_id is None
    return is_dynamic and not request.member_id and request.version >= _GIVES_IDS_FIRST


def can_skip_assignment(request: JoinGroup) -> bool:
    """Whether a leader can be instructed to keep the assignment (KIP-814)."""
    return request.version >= _CAN_SKIP_ASSIGNMENT


def has_room(group: ClassicGroup, member_id: str, settings: CoordinatorSettings, kept: int = 0) -> bool:
    """Whether another member may join, or this one is already counted; ``kept`` slots are reserved for others. An
    instance that returns without an id is not counted.
    """
    member = group.members.get(member_id)
    if group.is_in(ClassicStatus.EMPTY) or len(group.members) + kept < settings.group_max_size:
        return True
    if group.is_in(ClassicStatus.PREPARING_REBALANCE):
        here = sum(each.join is not None for each in group.in_order())
        return here + kept < settings.group_max_size or (member is not None and member.join is not None)
    return member is not None


def is_consistent(group: ClassicGroup, request: JoinGroup) -> bool:
    """Whether the member shares the group's type and a protocol with all other members."""
    if group.is_in(ClassicStatus.EMPTY) or not group.members:
        return bool(request.protocol_type) and bool(request.protocols)
    common = group.common_protocols()
    return request.protocol_type == group.protocol_type and any(offer.name in common for offer in request.protocols)


def generation_error(group: ClassicGroup | None, request: Heartbeat | SyncGroup) -> ErrorCode:
    """Why the request is not from a member at the group's generation, or NONE."""
    if not request.group_id:
        return ErrorCode.INVALID_GROUP_ID
    if group is None or group.is_in(ClassicStatus.EMPTY):
        return ErrorCode.UNKNOWN_MEMBER_ID
    if error := identity_error(group, request.member_id, request.instance_id):
        return error
    return ErrorCode.NONE if request.generation == group.generation else ErrorCode.ILLEGAL_GENERATION


def identity_error(group: ClassicGroup | Group, member_id: str, instance_id: str | None) -> ErrorCode:
    """Why this is not a member of the group, or NONE."""
    if error := instance_error(group, member_id, instance_id):
        return error
    return ErrorCode.NONE if member_id in group.members else ErrorCode.UNKNOWN_MEMBER_ID


def instance_error(group: ClassicGroup | Group, member_id: str, instance_id: str | None) -> ErrorCode:
    """Why this member does not have that instance id; NONE if it has it, or if it gave no instance id."""
    if instance_id is None:
        return ErrorCode.NONE
    holder = group.instances.get(instance_id)
    if holder is None:
        return ErrorCode.UNKNOWN_MEMBER_ID
    return ErrorCode.NONE if holder == member_id else ErrorCode.FENCED_INSTANCE_ID
