"""Groups as ``GroupAdmin`` describes them, and ``Results`` of calls for several groups.

Groups of both protocols have the same description. Fields that only one protocol has are None for the other: a classic
group has no epochs and no target, since its leader assigns the partitions and does not publish a plan.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from enum import Enum
from typing import Generic, TypeVar

from kafka_nextgen.admin.acl_operations import AclOperation
from kafka_nextgen.assignors import ClientAssignor, Metadata
from kafka_nextgen.errors import KafkaNextgenError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.types import OffsetAndMetadata, StandbyState, TopicPartition, lag_of

__all__ = [
    "ExpectedMember",
    "GroupCoordinator",
    "GroupDescription",
    "GroupListing",
    "GroupOffset",
    "GroupState",
    "GroupType",
    "LeavingMember",
    "ListedGroups",
    "MemberDescription",
    "Results",
    "StreamsTasks",
    "parse_enum",
]

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class GroupType(Enum):
    """The types of groups, by Kafka's names."""

    CONSUMER = "consumer"
    CLASSIC = "classic"
    SHARE = "share"
    STREAMS = "streams"
    UNKNOWN = "unknown"  # ListGroups before version 5 has no types


class GroupState(Enum):
    """The states of groups of all types, by Kafka's names."""

    EMPTY = "Empty"
    ASSIGNING = "Assigning"
    RECONCILING = "Reconciling"
    PREPARING_REBALANCE = "PreparingRebalance"
    COMPLETING_REBALANCE = "CompletingRebalance"
    STABLE = "Stable"
    DEAD = "Dead"
    NOT_READY = "NotReady"
    UNKNOWN = "Unknown"  # ListGroups before version 4 has no states


E = TypeVar("E", GroupType, GroupState)


def parse_enum(kind: type[E], name: str | E) -> E:
    """Return the enum member with this name, ignoring case. Raises ValueError with the known ones."""
    if isinstance(name, kind):
        return name
    for one in kind:
        if one.value.lower() == str(name).lower():
            return one
    known = ", ".join(one.value for one in kind)
    raise ValueError(f"{name!r} is not a {kind.__name__}; use one of {known}")


@frozen
class GroupListing:
    """An entry of the list of groups; ``protocol_type`` is ``consumer`` for consumers, ``connect`` for Connect."""

    group_id: str
    type: GroupType
    state: GroupState
    protocol_type: str


@frozen
class ListedGroups:
    """The groups by id, and the errors of brokers (by node id) that could not list theirs."""

    groups: tuple[GroupListing, ...]
    failed: Mapping[int, KafkaNextgenError]


@frozen
class GroupCoordinator:
    """The broker that coordinates a group."""

    node_id: int
    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port} (node {self.node_id})"


@frozen
class StreamsTasks:
    """Tasks of a member of a streams group (KIP-1071), by Kafka Streams' names: ``SUBTOPOLOGY_PARTITION``."""

    active: tuple[str, ...] = ()
    standby: tuple[str, ...] = ()
    warmup: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the active tasks, then the others by their kind; ``-`` for none."""
        kinds = (("", self.active), ("standby", self.standby), ("warmup", self.warmup))
        return " ".join(" ".join(filter(None, (kind, *tasks))) for kind, tasks in kinds if tasks) or "-"


@frozen
class MemberDescription:
    """A member of a group.

    ``type`` is its protocol: a consumer group may have classic members during an upgrade. ``assignment`` has the
    partitions that it owns now, ``target`` those that it should own. They are None if unknown: the classic protocol has
    no target, and assignments of Connect workers have their own format.

    Only coordinators with extensions know client-side assignors: ``client_assignors`` are those that the member can
    run, preferred ones first; ``assignment_error`` (0 for none) and ``assignment_metadata`` are from the assignor that
    computed the target. For a classic member, its user data for the assignor in use is known. ``standby_place`` is 1
    for the member that takes over first when an active one fails (``group.target.size``), and 0 for active members.
    ``standby_state`` is READY, LOADING (it takes over only if no standby is ready), or UNKNOWN for active members and
    in classic groups.

    Members of a share group have no target, and may have the same partitions. Those of a streams group have ``tasks``
    instead of an assignment, and ``target_tasks``; their subscribed topics are those that the topology reads.
    """

    member_id: str
    type: GroupType
    instance_id: str | None
    rack_id: str | None
    client_id: str
    client_host: str
    member_epoch: int | None
    subscribed_topics: tuple[str, ...]
    subscribed_pattern: str | None
    assignment: frozenset[TopicPartition] | None
    target: frozenset[TopicPartition] | None
    client_assignors: tuple[ClientAssignor, ...] = ()
    assignment_error: int = 0
    assignment_metadata: Metadata | None = None
    standby_place: int = 0
    standby_state: StandbyState = StandbyState.UNKNOWN
    tasks: StreamsTasks | None = None
    target_tasks: StreamsTasks | None = None

    @property
    def is_at_target(self) -> bool:
        """Whether the member owns its target; True if the target is unknown."""
        if self.target_tasks != self.tasks:
            return False
        return self.target is None or self.target == self.assignment


@frozen
class ExpectedMember:
    """A static member announced with ``add_members``.

    Its slot is kept until ``until_ms``, in milliseconds since the Unix epoch. With ``has_joined`` it is in the group,
    and waits for the others.
    """

    instance_id: str
    until_ms: int
    has_joined: bool


@frozen
class LeavingMember:
    """A member announced with ``announce_leaving``; ``instance_id`` is None if it is dynamic.

    The group waits for it until ``until_ms``, in milliseconds since the Unix epoch. With ``has_left`` it has left, and
    no member takes over from it before the others have left, too.
    """

    instance_id: str | None
    member_id: str
    until_ms: int
    has_left: bool


@frozen
class GroupDescription:
    """A group of any type. If its coordinator can only list it, only its type and state are known.

    ``assignor`` is the current assignor, empty before the first assignment. ``expected`` has the members announced to
    join and ``leaving`` those announced to leave, if the coordinator has extensions. ``authorized_operations`` are
    those that this client may perform on the group (KIP-430); None unless they were requested.
    """

    group_id: str
    type: GroupType
    state: GroupState
    protocol_type: str
    assignor: str
    group_epoch: int | None
    assignment_epoch: int | None
    coordinator: GroupCoordinator
    members: tuple[MemberDescription, ...]
    expected: tuple[ExpectedMember, ...] = ()
    leaving: tuple[LeavingMember, ...] = ()
    authorized_operations: frozenset[AclOperation] | None = None

    @property
    def is_simple(self) -> bool:
        """Whether the group has committed offsets but never had members."""
        return self.type is GroupType.CLASSIC and not self.protocol_type


@frozen
class GroupOffset:
    """The position of a group in one partition.

    ``committed`` is None without a commit. ``end_offset`` and ``start_offset`` of the log are None if they are
    unavailable; ``error`` then says why. ``member_id`` is the owner of the partition, if any. In a share group
    ``committed`` is the start offset that its broker has stored, which may be one acknowledgement behind (seen with
    Kafka 4.4.0), and ``share_lag`` the lag that the broker counts.
    """

    committed: OffsetAndMetadata | None
    end_offset: int | None
    member_id: str | None = None
    error: KafkaNextgenError | None = None
    start_offset: int | None = None
    share_lag: int | None = None

    @property
    def lag(self) -> int | None:
        """The number of offsets that can be read from the committed one to the end; None if either is unknown.

        Offsets that retention or DeleteRecords removed are not counted.
        """
        if self.share_lag is not None:
            return self.share_lag
        if self.committed is None or self.end_offset is None:
            return None
        return lag_of(self.committed.offset, self.start_offset, self.end_offset)


@frozen
class Results(Generic[K, V]):
    """The results of a call for several items: ``done``, and the errors of the others in ``failed``.

    One group whose coordinator is unavailable must not hide the others. ``results[key]`` returns or raises a single
    result.
    """

    done: Mapping[K, V]
    failed: Mapping[K, KafkaNextgenError]

    def __getitem__(self, key: K) -> V:
        """Return the result of ``key``. Raises its error, or KeyError if it was not requested."""
        if key in self.failed:
            raise self.failed[key]
        return self.done[key]

    def __iter__(self) -> Iterator[K]:
        yield from self.done
        yield from self.failed

    def __len__(self) -> int:
        return len(self.done) + len(self.failed)

    def all(self) -> Mapping[K, V]:
        """Return all results. Raises the first error, if any."""
        for error in self.failed.values():
            raise error
        return self.done
