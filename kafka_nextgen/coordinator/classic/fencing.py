"""Who is let in, and whose word counts: two tables, read from the top (KIP-345, KIP-394).

To join at all:

| what must hold | else |
|---|---|
| the group id is not empty | INVALID_GROUP_ID |
| the session timeout is within the broker's bounds | INVALID_SESSION_TIMEOUT |
| the group exists, or is made by one who comes without an id | UNKNOWN_MEMBER_ID |
| the group is empty, or has room; while members join, only those here count | GROUP_MAX_SIZE_REACHED |
| the group's type, and a protocol that all members offer; of an empty group any | INCONSISTENT_GROUP_PROTOCOL |

To be taken for the member one says to be, in whatever request:

| what must hold | else |
|---|---|
| an instance id, if there is one, is known | UNKNOWN_MEMBER_ID |
| and is this member's | FENCED_INSTANCE_ID |
| the member is known | UNKNOWN_MEMBER_ID |

Without an instance id only the last is asked: a static member's id alone is good, too.
"""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.classic.group import ClassicGroup, ClassicStatus
from kafka_nextgen.coordinator.classic.requests import JoinGroup
from kafka_nextgen.coordinator.settings import CoordinatorSettings

__all__ = [
    "can_skip_assignment",
    "has_room",
    "has_to_come_with_id",
    "identity_error",
    "is_consistent",
    "malformed_error",
]

_GIVES_IDS_FIRST = 4
_CAN_SKIP_ASSIGNMENT = 9


def malformed_error(request: JoinGroup, settings: CoordinatorSettings) -> ErrorCode:
    """What is wrong with a join, whatever the group."""
    if not request.group_id:
        return ErrorCode.INVALID_GROUP_ID
    low, high = settings.group_min_session_timeout_ms, settings.group_max_session_timeout_ms
    if not low <= request.session_timeout_ms <= high:
        return ErrorCode.INVALID_SESSION_TIMEOUT
    return ErrorCode.NONE


def has_to_come_with_id(request: JoinGroup) -> bool:
    """Whether the member is given an id first, and has to come again with it (KIP-394)."""
    is_dynamic = request.instance_id is None
    return is_dynamic and not request.member_id and request.version >= _GIVES_IDS_FIRST


def can_skip_assignment(request: JoinGroup) -> bool:
    """Whether a leader can be told to leave the assignment as it is (KIP-814)."""
    return request.version >= _CAN_SKIP_ASSIGNMENT


def has_room(group: ClassicGroup, member_id: str, settings: CoordinatorSettings, kept: int = 0) -> bool:
    """Whether one more may come, or the member counts already; ``kept`` places are for others. An instance that comes
    back without an id does not count.
    """
    member = group.members.get(member_id)
    if group.is_in(ClassicStatus.EMPTY) or len(group.members) + kept < settings.group_max_size:
        return True
    if group.is_in(ClassicStatus.PREPARING_REBALANCE):
        here = sum(each.join is not None for each in group.in_order())
        return here + kept < settings.group_max_size or (member is not None and member.join is not None)
    return member is not None


def is_consistent(group: ClassicGroup, request: JoinGroup) -> bool:
    """Whether the member could assign, or be assigned to, together with the others."""
    if group.is_in(ClassicStatus.EMPTY) or not group.members:
        return bool(request.protocol_type) and bool(request.protocols)
    common = group.common_protocols()
    return request.protocol_type == group.protocol_type and any(offer.name in common for offer in request.protocols)


def identity_error(group: ClassicGroup, member_id: str, instance_id: str | None) -> ErrorCode:
    """Why this is not a member of the group, or NONE."""
    if instance_id is not None:
        holder = group.holder_of(instance_id)
        if holder is None:
            return ErrorCode.UNKNOWN_MEMBER_ID
        if holder != member_id:
            return ErrorCode.FENCED_INSTANCE_ID
    return ErrorCode.NONE if member_id in group.members else ErrorCode.UNKNOWN_MEMBER_ID
