"""All answers to ``classic.requests``: one class each, and ``Parked``."""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.described import GroupsDescribed
from kafka_nextgen.groups.leaving import LeaveGroupAnswer
from kafka_nextgen.lazy_attrs import frozen

__all__ = [
    "ClassicResponse",
    "GroupsDescribed",
    "HeartbeatAnswer",
    "JoinGroupAnswer",
    "JoinedMember",
    "LeaveGroupAnswer",
    "Parked",
    "SyncGroupAnswer",
]

NO_GENERATION = -1


@frozen
class Parked:
    """No answer yet: a later outcome releases it, by this number."""

    number: int


@frozen
class JoinedMember:
    """A member as the leader sees it; ``metadata`` is for the chosen protocol."""

    member_id: str
    instance_id: str | None
    metadata: bytes


@frozen
class JoinGroupAnswer:
    """The new generation. Only the leader gets ``members``, for the assignment, unless it must skip that (KIP-814)."""

    error: ErrorCode = ErrorCode.NONE
    member_id: str = ""
    generation: int = NO_GENERATION
    protocol_type: str | None = None
    protocol_name: str | None = None
    leader_id: str = ""
    members: tuple[JoinedMember, ...] = ()
    skip_assignment: bool = False


@frozen
class SyncGroupAnswer:
    """A member's assignment, as the leader encoded it."""

    error: ErrorCode = ErrorCode.NONE
    protocol_type: str | None = None
    protocol_name: str | None = None
    assignment: bytes = b""


@frozen
class HeartbeatAnswer:
    """An error code: NONE, REBALANCE_IN_PROGRESS, or why the member is refused."""

    error: ErrorCode = ErrorCode.NONE


ClassicResponse = JoinGroupAnswer | SyncGroupAnswer | HeartbeatAnswer | LeaveGroupAnswer | GroupsDescribed | Parked
