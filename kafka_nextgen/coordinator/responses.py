"""Everything a coordinator can answer. Closed: one class per request in ``requests``; and see ``classic.responses``."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from kafka_nextgen.assignors.spec import ClientAssignor, Metadata
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.classic.responses import ClassicResponse
from kafka_nextgen.coordinator.hooks import ExpectedInstance, ExtensionResponse
from kafka_nextgen.types import OffsetAndMetadata, TopicId, TopicIdPartition, TopicPartition

__all__ = [
    "ConfigsNoted",
    "ConsumerGroupDescribed",
    "ConsumerGroupHeartbeatAnswer",
    "DescribedGroup",
    "DescribedMember",
    "GroupsDeleted",
    "GroupsListed",
    "ListedGroup",
    "OffsetsCommitted",
    "OffsetsDeleted",
    "OffsetsFetched",
    "Response",
    "TopicsNoted",
    "TransactionNoted",
]


@frozen
class ConsumerGroupHeartbeatAnswer:
    """``assignment`` None means unchanged; an empty one means that the member owns nothing.

    The rest is said by coordinators with extensions, and only to members with client-side assignors.
    ``should_compute``: this member is to prepare, compute and install the group's next assignment.
    ``assignment_message``: why the last attempt at that failed, whoever made it; said once to each member, while the
    last target stands. With the assignment of the epoch that the member has reached come the assignor's name, error and
    metadata for it, and what it is to have and others have not released yet.
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


@frozen
class DescribedMember:
    """A member as ConsumerGroupDescribe shows it; ``is_classic`` if it speaks the classic protocol.

    What follows that is said by coordinators with extensions only: the assignors that the member can run itself, and
    what a client-side one had to tell the members, an error, and this one, its metadata, when it made the target.
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
    """One entry per group asked for, in that order; and the names of the topics there are."""

    groups: tuple[DescribedGroup, ...]
    topic_names: Mapping[TopicId, str] = field(factory=dict)


@frozen
class ListedGroup:
    """A line of ListGroups."""

    group_id: str
    protocol_type: str
    state: str
    group_type: str


@frozen
class GroupsListed:
    """The groups that passed the filters, by group id."""

    groups: tuple[ListedGroup, ...]
    error: ErrorCode = ErrorCode.NONE


@frozen
class GroupsDeleted:
    """What became of each group."""

    results: Mapping[str, ErrorCode]


@frozen
class OffsetsCommitted:
    """What became of each partition's commit."""

    errors: Mapping[TopicPartition, ErrorCode]


@frozen
class OffsetsFetched:
    """The committed offsets, None where there is none; ``error`` concerns the whole group.

    Those a transaction may still change are in ``unstable`` if stable ones were asked for.
    """

    offsets: Mapping[TopicPartition, OffsetAndMetadata | None] = field(factory=dict)
    error: ErrorCode = ErrorCode.NONE
    unstable: frozenset[TopicPartition] = frozenset()


@frozen
class OffsetsDeleted:
    """What became of each partition's offset; ``error`` concerns the whole group."""

    errors: Mapping[TopicPartition, ErrorCode] = field(factory=dict)
    error: ErrorCode = ErrorCode.NONE


@frozen
class TopicsNoted:
    """The topics were taken note of; their effect comes with the next heartbeats."""


@frozen
class TransactionNoted:
    """The end of a transaction was taken note of."""


@frozen
class ConfigsNoted:
    """The configuration was taken note of; its effect comes with the next requests."""


Response = (
    ConsumerGroupHeartbeatAnswer
    | ConsumerGroupDescribed
    | GroupsListed
    | GroupsDeleted
    | OffsetsCommitted
    | OffsetsFetched
    | OffsetsDeleted
    | TopicsNoted
    | TransactionNoted
    | ConfigsNoted
    | ClassicResponse
    | ExtensionResponse
)
