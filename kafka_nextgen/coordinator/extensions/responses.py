"""What only a coordinator with extensions answers. Closed: one class per request in ``extensions.requests``; and what
it adds to other answers.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from kafka_nextgen.assignors.spec import MemberSpec, TopicMetadata
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.extensions.history.records import Rebalance
from kafka_nextgen.types import TopicId

__all__ = [
    "AssignmentInstalled",
    "AssignmentPrepared",
    "ExpectedInstance",
    "ExtensionResponse",
    "HistoryDescribed",
    "MembersAdded",
    "PreparedMember",
]


@frozen
class PreparedMember:
    """A member as the assignor sees it, and the epoch it is at."""

    member_epoch: int
    spec: MemberSpec


@frozen
class AssignmentPrepared:
    """The group at ``group_epoch``, to be assigned by this assignor: members by id, topics by id."""

    error: ErrorCode = ErrorCode.NONE
    message: str | None = None
    group_epoch: int = 0
    assignor: str = ""
    members: Mapping[str, PreparedMember] = field(factory=dict)
    topics: Mapping[TopicId, TopicMetadata] = field(factory=dict)


@frozen
class AssignmentInstalled:
    """Whether the assignment is the group's now."""

    error: ErrorCode = ErrorCode.NONE
    message: str | None = None


@frozen
class MembersAdded:
    """What became of each instance; ``error`` concerns the whole group."""

    error: ErrorCode = ErrorCode.NONE
    message: str | None = None
    results: Mapping[str, tuple[ErrorCode, str | None]] = field(factory=dict)


@frozen
class ExpectedInstance:
    """A static member that was announced: until when (milliseconds since the epoch) its place is kept, and whether it
    has come and waits for others.
    """

    instance_id: str
    until_ms: int
    has_joined: bool = False


@frozen
class HistoryDescribed:
    """The rebalances that are kept, the oldest first."""

    error: ErrorCode = ErrorCode.NONE
    message: str | None = None
    rebalances: tuple[Rebalance, ...] = ()


ExtensionResponse = AssignmentPrepared | AssignmentInstalled | MembersAdded | HistoryDescribed
