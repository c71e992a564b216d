"""Members that leave a group or are removed from it: the request, and the result for each (LeaveGroup)."""

from __future__ import annotations

from attrs import field

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.lazy_attrs import frozen

__all__ = ["REMOVED_BY_ADMIN", "LeaveGroup", "LeaveGroupAnswer", "LeavingMember", "LeftMember"]


#: The prefix of the leave reason that Kafka's admin client sends.
REMOVED_BY_ADMIN = "member was removed by an admin"


@frozen
class LeavingMember:
    """A member to remove: by its id, or, with an empty id, the current holder of the instance id.

    With both ids, it is removed only if the instance id is its own.
    """

    member_id: str
    instance_id: str | None = None
    reason: str | None = None


@frozen
class LeaveGroup:
    """Members leave, or an administrator removes them. Each entry is checked separately."""

    group_id: str
    members: tuple[LeavingMember, ...] = field(factory=tuple)


@frozen
class LeftMember:
    """The result for one member to remove."""

    member_id: str
    instance_id: str | None
    error: ErrorCode


@frozen
class LeaveGroupAnswer:
    """One result per member to remove, in the order of the request."""

    members: tuple[LeftMember, ...] = ()
    error: ErrorCode = ErrorCode.NONE
