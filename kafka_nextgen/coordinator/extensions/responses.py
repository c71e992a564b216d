"""What only a coordinator with extensions answers: one class per request in ``extensions.requests``."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from kafka_nextgen.assignors.spec import MemberSpec, TopicMetadata
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.extensions.records import Rebalance
from kafka_nextgen.coordinator.hooks import ExtensionResponse
from kafka_nextgen.types import TopicId

__all__ = [
    "AssignmentInstalled",
    "AssignmentPrepared",
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
class AssignmentPrepared(ExtensionResponse):
    """The group at ``group_epoch``, to be assigned by this assignor: members by id, topics by id."""

    group_epoch: int = 0
    assignor: str = ""
    members: Mapping[str, PreparedMember] = field(factory=dict)
    topics: Mapping[TopicId, TopicMetadata] = field(factory=dict)


@frozen
class AssignmentInstalled(ExtensionResponse):
    """Whether the assignment is the group's now."""


@frozen
class MembersAdded(ExtensionResponse):
    """What became of each instance; ``error`` concerns the whole group."""

    results: Mapping[str, tuple[ErrorCode, str | None]] = field(factory=dict)


@frozen
class HistoryDescribed(ExtensionResponse):
    """The rebalances that are kept, the oldest first."""

    rebalances: tuple[Rebalance, ...] = ()
