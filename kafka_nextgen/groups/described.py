"""Groups and their members as ConsumerGroupDescribe and DescribeGroups show them."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field

from kafka_nextgen.assignors.spec import ClientAssignor, Metadata
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.types import StandbyState, TopicId, TopicIdPartition

__all__ = [
    "ConsumerGroupDescribed",
    "DescribedClassicGroup",
    "DescribedClassicMember",
    "DescribedGroup",
    "DescribedLeaver",
    "DescribedMember",
    "ExpectedInstance",
    "GroupsDescribed",
]


@frozen
class ExpectedInstance:
    """An announced static member: whether it has joined and is waiting for other members.

    Its slot is reserved until ``until_ms`` (milliseconds since the Unix epoch).
    """

    instance_id: str
    until_ms: int
    has_joined: bool = False


@frozen
class DescribedLeaver:
    """A member that was announced to leave: whether it has left, so that the group waits for the others.

    The group waits until ``until_ms`` (milliseconds since the Unix epoch). A dynamic member has no instance id.
    """

    member_id: str
    instance_id: str | None
    until_ms: int
    has_left: bool = False


@frozen
class DescribedMember:
    """A member as ConsumerGroupDescribe shows it; ``is_classic`` if it uses the classic protocol.

    Only coordinators with extensions fill the fields after ``is_classic``. These are the member's client-side
    assignors; the error code for the members and the metadata for this member if such an assignor computed the target;
    and the member's position among the standbys, 0 if it is active, and whether a standby is ready.
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
    standby_state: StandbyState = StandbyState.UNKNOWN


@frozen
class DescribedGroup:
    """A group as ConsumerGroupDescribe shows it; ``expected`` and ``leaving`` are extensions.

    ``authorized_operations`` has numbers of operations (KIP-430), None if they were not asked for.
    """

    group_id: str
    error: ErrorCode = ErrorCode.NONE
    message: str | None = None
    state: str = ""
    group_epoch: int = 0
    assignment_epoch: int = 0
    assignor: str = ""
    members: tuple[DescribedMember, ...] = ()
    expected: tuple[ExpectedInstance, ...] = ()
    leaving: tuple[DescribedLeaver, ...] = ()
    authorized_operations: frozenset[int] | None = None


@frozen
class ConsumerGroupDescribed:
    """One entry per requested group, in the order of the request, and the names of all topics."""

    groups: tuple[DescribedGroup, ...]
    topic_names: Mapping[TopicId, str] = field(factory=dict)


@frozen
class DescribedClassicMember:
    """A member as DescribeGroups shows it. Metadata belongs to a generation, and is empty between generations."""

    member_id: str
    instance_id: str | None
    client_id: str
    client_host: str
    metadata: bytes
    assignment: bytes


@frozen
class DescribedClassicGroup:
    """A group as DescribeGroups shows it; ``state`` is Dead if it does not exist. ``expected`` and
    ``leaving`` are extensions.

    ``authorized_operations`` has numbers of operations (KIP-430), None if they were not asked for.
    """

    group_id: str
    error: ErrorCode = ErrorCode.NONE
    message: str | None = None
    state: str = "Dead"
    protocol_type: str = ""
    protocol_name: str = ""
    members: tuple[DescribedClassicMember, ...] = ()
    expected: tuple[ExpectedInstance, ...] = ()
    leaving: tuple[DescribedLeaver, ...] = ()
    authorized_operations: frozenset[int] | None = None


@frozen
class GroupsDescribed:
    """One entry per requested group, in the order of the request."""

    groups: tuple[DescribedClassicGroup, ...]
