"""All answers of a coordinator: one class per request in ``requests``. See also ``classic.responses``."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from kafka_nextgen.assignors.spec import ClientAssignor, Metadata
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.coordinator.classic.responses import ClassicResponse
from kafka_nextgen.testing.coordinator.hooks import ExpectedInstance, ExtensionResponse
from kafka_nextgen.types import OffsetAndMetadata, TopicId, TopicIdPartition, TopicPartition

__all__ = [
    "ConsumerGroupDescribed",
    "ConsumerGroupHeartbeatAnswer",
    "DescribedGroup",
    "DescribedMember",
    "GroupsDeleted",
    "GroupsListed",
    "ListedGroup",
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
    stays in force. With the assignment of the epoch that the member has reached come the assignor's name, error and
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
class DescribedMember:
    """A member as ConsumerGroupDescribe shows it; ``is_classic`` if it speaks the classic protocol.

    Only coordinators with extensions fill the fields after that: the member's client-side assignors, and, if one of
    these made the target, its error code for the members and its metadata for this one; and its place among the
    standbys, 0 if it is active.
    """

    member_id: str
    instance_id: str | None
    rack_id: str | None
    member_epoch: int
    client_id: str
    client_host: str
    subscribed_topics: tuple[str, ...]
    subscribed_pattern: str | None
    assignment: frozenset[TopicIdPartition]
    target: frozenset[TopicIdPartition]
    is_classic: bool = False
    client_assignors: tuple[ClientAssignor, ...] = ()
    assignment_error: int = 0
    assignment_metadata: Metadata | None = None
    standby_place: int = 0


@frozen
class DescribedGroup:
    """A group as ConsumerGroupDescribe shows it; ``expected`` is an extension."""

    group_id: str
    error: ErrorCode = ErrorCode.NONE
    message: str | None = None
    state: str = ""
    group_epoch: int = 0
    assignment_epoch: int = 0
    assignor: str = ""
    members: tuple[DescribedMember, ...] = ()
    expected: tuple[ExpectedInstance, ...] = ()


@frozen
class ConsumerGroupDescribed:
    """One entry per requested group, in that order, and the names of all topics."""

    groups: tuple[DescribedGroup, ...]
    topic_names: Mapping[TopicId, str] = field(factory=dict)


@frozen
class ListedGroup:
    """An entry of ListGroups."""

    group_id: str
    protocol_type: str
    state: str
    group_type: str


@frozen
class GroupsListed:
    """The groups that passed the filters, by group id."""

    groups: tuple[ListedGroup, ...] = ()
    error: ErrorCode = ErrorCode.NONE


@frozen
class GroupsDeleted:
    """The result for each group, and what the coordinator says of those that failed (Kafka 4.4)."""

    results: Mapping[str, ErrorCode]
    messages: Mapping[str, str] = field(factory=dict)


@frozen
class OffsetsCommitted:
    """The result for each partition."""

    errors: Mapping[TopicPartition, ErrorCode]


@frozen
class OffsetsFetched:
    """The committed offsets, None where there is none; ``error`` concerns the whole group.

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
    """The end of a transaction, new topics or a new configuration was taken in."""


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
