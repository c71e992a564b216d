"""Everything that is answered to the requests of ``requests``. Closed: one class each, and ``Parked``."""

from __future__ import annotations

from attrs import frozen

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.hooks import ExpectedInstance

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
    """No answer yet: it is released with a later outcome, by this number."""

    number: int


@frozen
class JoinedMember:
    """A member as the leader is told of it; ``metadata`` is what it said for the protocol that was chosen."""

    member_id: str
    instance_id: str | None
    metadata: bytes


@frozen
class JoinGroupAnswer:
    """The new generation. ``members`` are for the leader, who assigns; unless it is to skip that (KIP-814)."""

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
    """A member's part, in the bytes of its leader."""

    error: ErrorCode = ErrorCode.NONE
    protocol_type: str | None = None
    protocol_name: str | None = None
    assignment: bytes = b""


@frozen
class HeartbeatAnswer:
    """Whether all is well."""

    error: ErrorCode = ErrorCode.NONE


@frozen
class LeftMember:
    """What became of one who was to go."""

    member_id: str
    instance_id: str | None
    error: ErrorCode


@frozen
class LeaveGroupAnswer:
    """One entry for each that was to go, in the order asked."""

    members: tuple[LeftMember, ...]
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
    """A group as DescribeGroups shows it; ``state`` is Dead for one there is not. ``expected`` is an extension."""

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
    """One entry per group asked for, in that order."""

    groups: tuple[DescribedClassicGroup, ...]


ClassicResponse = JoinGroupAnswer | SyncGroupAnswer | HeartbeatAnswer | LeaveGroupAnswer | GroupsDescribed | Parked
