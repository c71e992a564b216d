"""What ``GroupAdmin`` tells of groups, as values.

Groups of both protocols are described alike. What only one of them has is None in the other: a classic group has no
epochs and no target, since its leader assigns and nobody else knows what it is about to.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TypeVar

from attrs import frozen

from kafka_nextgen.assignors import ClientAssignor, Metadata
from kafka_nextgen.errors import KafkaNextgenError
from kafka_nextgen.types import JoinReason, OffsetAndMetadata, RebalanceReason, TopicPartition

__all__ = [
    "AddedMember",
    "ExpectedMember",
    "GroupConfigEntry",
    "GroupCoordinator",
    "GroupDescription",
    "GroupListing",
    "GroupOffset",
    "GroupState",
    "GroupType",
    "ListedGroups",
    "MemberDescription",
    "NewMember",
    "PastRebalance",
    "PatternCheck",
    "RemovedMember",
    "named",
]


class GroupType(Enum):
    """What kind of group it is; by Kafka's names."""

    CONSUMER = "consumer"
    CLASSIC = "classic"
    SHARE = "share"
    STREAMS = "streams"
    UNKNOWN = "unknown"  # brokers before ListGroups 5 do not say


class GroupState(Enum):
    """The states of groups of all types; by Kafka's names."""

    EMPTY = "Empty"
    ASSIGNING = "Assigning"
    RECONCILING = "Reconciling"
    PREPARING_REBALANCE = "PreparingRebalance"
    COMPLETING_REBALANCE = "CompletingRebalance"
    STABLE = "Stable"
    DEAD = "Dead"
    NOT_READY = "NotReady"
    UNKNOWN = "Unknown"  # brokers before ListGroups 4 do not say


E = TypeVar("E", GroupType, GroupState)


def named(kind: type[E], name: str | E) -> E:
    """The type or state of this name, in any case of letters. Raises ValueError with those there are."""
    if isinstance(name, kind):
        return name
    for one in kind:
        if one.value.lower() == str(name).lower():
            return one
    known = ", ".join(one.value for one in kind)
    raise ValueError(f"there is no {kind.__name__} {name!r}; there are {known}")


@frozen
class GroupListing:
    """A line of the list of groups; ``protocol_type`` is ``consumer`` for consumers, ``connect`` for Connect."""

    group_id: str
    type: GroupType
    state: GroupState
    protocol_type: str


@frozen
class ListedGroups:
    """The groups by id, and the brokers (by node id) that could not say which of them they coordinate."""

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
class MemberDescription:
    """A member of a group.

    ``type`` says which protocol it speaks: a consumer group may have classic members while its applications are
    upgraded. ``assignment`` is what it owns now, ``target`` what it is to own, both None where they can't be told:
    there is no target by the classic protocol, and assignments of Connect's workers are in bytes of their own.

    What is said of assignors in the client is known of coordinators with extensions only: those the member can run,
    preferred first, and what the one that made the target said, an error to all members (0 for none) and metadata to
    this one. Of a classic member it is known what its user data says to the assignor in use.
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

    @property
    def is_at_target(self) -> bool:
        """Whether it owns what it is to own, as far as that can be told."""
        return self.target is None or self.target == self.assignment


@frozen
class ExpectedMember:
    """A static member that was announced with ``add_members``.

    Its place is kept until ``until_ms``, in milliseconds since the epoch. With ``has_joined`` it is in the group
    already, and waits for the others.
    """

    instance_id: str
    until_ms: int
    has_joined: bool


@frozen
class GroupDescription:
    """A group of either protocol. ``assignor`` is the one in use, empty before there is any; ``expected`` has the
    members that were announced, where the coordinator has extensions.
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

    @property
    def is_simple(self) -> bool:
        """Whether it has only ever been committed for, without members."""
        return self.type is GroupType.CLASSIC and not self.protocol_type


@frozen
class GroupOffset:
    """How far a group is in one partition.

    ``committed`` is None if nothing is, ``end_offset`` None if it could not be learnt; ``error`` then says why.
    ``member_id`` is the member that owns the partition, None if nobody does.
    """

    committed: OffsetAndMetadata | None
    end_offset: int | None
    member_id: str | None = None
    error: KafkaNextgenError | None = None

    @property
    def lag(self) -> int | None:
        """How many offsets lie between the commit and the end; None if one of them is not known."""
        if self.committed is None or self.end_offset is None:
            return None
        return max(0, self.end_offset - self.committed.offset)


@frozen
class NewMember:
    """A static member that is to join, for ``add_members``. Times are in seconds, None leaves it to the member.

    Its place is kept for ``session_timeout`` if that is shorter than what the call says. ``rebalance_timeout`` is what
    it is given at least to give partitions up, ``assignor`` the server-side one that it votes for if it names none.
    """

    instance_id: str
    session_timeout: float | None = None
    rebalance_timeout: float | None = None
    assignor: str | None = None


@frozen
class AddedMember:
    """What became of one member that was announced; ``error`` is None if it is expected now."""

    instance_id: str
    error: KafkaNextgenError | None = None


@frozen
class RemovedMember:
    """What became of one member that was to be removed; ``error`` is None if it is out."""

    member_id: str | None
    instance_id: str | None
    error: KafkaNextgenError | None = None


@frozen
class PastRebalance:
    """A rebalance of a group, as its coordinator remembers it.

    ``number`` counts those of the group. ``member_id`` and ``instance_id`` are of the member that caused it, None if
    nobody did; ``stated`` is what it stated, ``text`` what it said (KIP-800), or what else is known. ``caused_at`` and
    ``assigned_at`` are in seconds since the epoch. ``epoch`` is the group epoch it led to, in a group of ``type``
    classic the generation; ``target_epoch`` that of the first assignment which takes it into account, None like
    ``assigned_at`` as long as there is none. Causes that come close together share an assignment.
    """

    number: int
    reason: RebalanceReason
    member_id: str | None
    instance_id: str | None
    stated: JoinReason
    text: str
    caused_at: float
    type: GroupType
    epoch: int
    target_epoch: int | None
    assigned_at: float | None

    @property
    def delay_s(self) -> float | None:
        """How long the assignment took from the cause on, in seconds; None as long as there is none."""
        return None if self.assigned_at is None else self.assigned_at - self.caused_at


@frozen
class GroupConfigEntry:
    """One key of a group's configuration, by Kafka's name.

    ``is_own`` says whether it was set for this group; all others follow the broker.
    """

    name: str
    value: str | None
    is_own: bool
    documentation: str | None = None


@frozen
class PatternCheck:
    """What a subscription pattern would do: the topics it matches now, and what is wrong or odd about it.

    ``error`` says why it is refused, ``advice`` what may not be meant.
    """

    pattern: str
    topics: tuple[str, ...] = ()
    error: str | None = None
    advice: str | None = None

    @property
    def is_valid(self) -> bool:
        """Whether it can be used."""
        return self.error is None
