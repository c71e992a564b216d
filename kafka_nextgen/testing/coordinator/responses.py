"""All answers of a coordinator: one class per request in ``requests``. See also ``classic.responses``; those that
clients read in the same form are in ``groups``.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field

from kafka_nextgen.assignors.spec import Metadata
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.described import ConsumerGroupDescribed
from kafka_nextgen.groups.extension_requests import ExtensionResponse
from kafka_nextgen.groups.listed import GroupsDeleted, GroupsListed
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.testing.coordinator.classic.responses import ClassicResponse
from kafka_nextgen.types import OffsetAndMetadata, TopicIdPartition, TopicPartition

__all__ = [
    "ConsumerGroupDescribed",
    "ConsumerGroupHeartbeatAnswer",
    "GroupsDeleted",
    "GroupsListed",
    "Noted",
    "OffsetsCommitted",
    "OffsetsDeleted",
    "OffsetsFetched",
    "Response",
]


@frozen
class ConsumerGroupHeartbeatAnswer:
    """``assignment`` None means unchanged; an empty one means that the member owns nothing.

    Coordinators with extensions fill the rest, most of it only for members with client-side assignors.
    ``should_compute``: this member must prepare, compute and install the group's next assignment.
    ``assignment_message``: why the last attempt by any member failed, sent once to each member while the last target
    stays in effect. The assignment for the epoch that the member has reached includes the assignor's name, error and
    metadata for it, and the partitions of its target that others have not released yet.

    ``standby_place`` is not 0 if the member stands by: 1 for the member that takes over first. ``pending`` are then the
    partitions of the active members.
    """

    error: ErrorCode = ErrorCode.NONE
    message: str | None = None
    member_id: str | None = None
    member_epoch: int = 0
    heartbeat_interval_ms: int = 0
    assignment: frozenset[TopicIdPartition] | None = None
    should_compute: bool = False
    assignment_message: str | None = None
    assignment_assignor: str | None = None
    assignment_error: int = 0
    pending: frozenset[TopicIdPartition] = frozenset()
    assignment_metadata: Metadata | None = None
    standby_place: int = 0


@frozen
class OffsetsCommitted:
    """The result for each partition."""

    errors: Mapping[TopicPartition, ErrorCode]


@frozen
class OffsetsFetched:
    """The committed offsets, None for a partition without one; ``error`` concerns the whole group.

    If stable offsets were requested, ``unstable`` has the partitions that a transaction may still change.
    """

    offsets: Mapping[TopicPartition, OffsetAndMetadata | None] = field(factory=dict)
    error: ErrorCode = ErrorCode.NONE
    unstable: frozenset[TopicPartition] = frozenset()


@frozen
class OffsetsDeleted:
    """The result for each partition; ``error`` concerns the whole group."""

    errors: Mapping[TopicPartition, ErrorCode] = field(factory=dict)
    error: ErrorCode = ErrorCode.NONE


@frozen
class Noted:
    """The end of a transaction, new topics or a new configuration was accepted."""


Response = (
    ConsumerGroupHeartbeatAnswer
    | ConsumerGroupDescribed
    | GroupsListed
    | GroupsDeleted
    | OffsetsCommitted
    | OffsetsFetched
    | OffsetsDeleted
    | Noted
    | ClassicResponse
    | ExtensionResponse
)
