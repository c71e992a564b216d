"""The responses to ``extensions.requests``: one class per request; ``HistoryDescribed`` is in ``groups``."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field

from kafka_nextgen.assignors.spec import MemberSpec, TopicMetadata
from kafka_nextgen.groups.extension_requests import ExtensionResponse
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.types import TopicId

__all__ = [
    "AssignmentInstalled",
    "AssignmentPrepared",
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
