"""The responses to ``extensions.requests``: one class per request."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from kafka_nextgen.assignors.spec import MemberSpec, TopicMetadata
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.extensions.records import Rebalance
from kafka_nextgen.testing.coordinator.hooks import ExtensionResponse
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
    """A member as the assignor sees it, and its member epoch."""

    member_epoch: int
    spec: MemberSpec


@frozen
class AssignmentPrepared(ExtensionResponse):
    """The group at ``group_epoch``, for this assignor: its members by id, and its topics by id."""

    group_epoch: int = 0
    assignor: str = ""
    members: Mapping[str, PreparedMember] = field(factory=dict)
    topics: Mapping[TopicId, TopicMetadata] = field(factory=dict)


@frozen
class AssignmentInstalled(ExtensionResponse):
    """Whether the assignment was installed."""


@frozen
class MembersAdded(ExtensionResponse):
    """The result for each instance; ``error`` concerns the whole group."""

    results: Mapping[str, tuple[ErrorCode, str | None]] = field(factory=dict)


@frozen
class HistoryDescribed(ExtensionResponse):
    """The recorded rebalances, oldest first."""

    rebalances: tuple[Rebalance, ...] = ()
