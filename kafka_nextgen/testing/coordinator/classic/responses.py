"""All answers to ``classic.requests``: one class each, and ``Parked``."""

from __future__ import annotations

from attrs import frozen

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.coordinator.hooks import ExpectedInstance

__all__ = [
    "ClassicResponse",
    "DescribedClassicGroup",
    "DescribedClassicMember",
    "GroupsDescribed",
    "HeartbeatAnswer",
    "JoinGroupAnswer",
    "JoinedMember",
    "LeaveGroupAnswer",
    "LeftMember",
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
    """The new generation. Only the leader gets ``members``, to assign, unless it must skip that (KIP-814)."""

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


@frozen
class DescribedClassicMember:
    """A member as DescribeGroups shows it. Metadata belongs to a generation, and is empty between two of them."""

    member_id: str
    instance_id: str | None
    client_id: str
    client_host: str
    metadata: bytes
    assignment: bytes


@frozen
class DescribedClassicGroup:
    """A group as DescribeGroups shows it; ``state`` is Dead if it does not exist. ``expected`` is an extension."""

    group_id: str
    error: ErrorCode = ErrorCode.NONE
    message: str | None = None
    state: str = "Dead"
    protocol_type: str = ""
    protocol_name: str = ""
    members: tuple[DescribedClassicMember, ...] = ()
    expected: tuple[ExpectedInstance, ...] = ()


@frozen
class GroupsDescribed:
    """One entry per requested group, in that order."""

    groups: tuple[DescribedClassicGroup, ...]


ClassicResponse = JoinGroupAnswer | SyncGroupAnswer | HeartbeatAnswer | LeaveGroupAnswer | GroupsDescribed | Parked
