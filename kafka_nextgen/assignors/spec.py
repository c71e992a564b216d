"""What an assignor is given and what it gives back (KIP-848, "PartitionAssignor").

The input is the group as its coordinator sees it: every member with its subscription (topic *names*) and its share
of the previous target assignment, and every topic with its partitions. What members happen to own at the moment is
no part of it: the coordinator moves them from there to the new target by itself.

An assignor depends on nothing else, neither on time nor on chance nor on the order of the mappings, so the same
group gets the same assignment wherever it is computed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Set

from attrs import field, frozen

from kafka_nextgen.errors import KafkaNextgenError
from kafka_nextgen.group_metadata import ConsumerGroupMetadata
from kafka_nextgen.types import TopicId

__all__ = [
    "AssignmentSpec",
    "AssignorMetadata",
    "ClientAssignor",
    "GroupAssignment",
    "MemberAssignment",
    "MemberSpec",
    "Metadata",
    "PartitionAssignor",
    "PartitionAssignorError",
    "Share",
    "TopicMetadata",
]


class PartitionAssignorError(KafkaNextgenError):
    """An assignor can't assign this group; the target assignment stays as it was (KIP-848's
    PartitionAssignorException).
    """


@frozen
class Metadata:
    """What an assignor tells its peers, in bytes only it understands, written in this version of its schema."""

    version: int = 0
    payload: bytes = b""


_NO_METADATA = Metadata()


@frozen
class AssignorMetadata:
    """A member's word to the assignor. A ``reason`` other than 0, or new metadata, asks for a new assignment."""

    reason: int = 0
    metadata: Metadata = _NO_METADATA


@frozen
class ClientAssignor:
    """An assignor that a member can run, with the versions of metadata it reads and what it tells its peers.

    A ``reason`` other than 0, or new metadata, asks for a new assignment.
    """

    name: str
    minimum_version: int = 0
    maximum_version: int = 0
    reason: int = 0
    metadata: Metadata = _NO_METADATA


#: Partition numbers by topic id.
Share = Mapping[TopicId, Set[int]]


@frozen
class MemberSpec:
    """A member as the assignor sees it. ``target`` is its share of the previous target assignment."""

    subscribed_topics: Set[str]
    target: Mapping[TopicId, Set[int]] = field(factory=dict)
    instance_id: str | None = None
    rack_id: str | None = None
    reason: int = 0
    metadata: Metadata = _NO_METADATA


@frozen
class TopicMetadata:
    """A topic and its partitions, 0 to ``num_partitions`` - 1; the racks are those of each one's replicas."""

    name: str
    num_partitions: int
    partition_racks: tuple[tuple[str, ...], ...] = ()


@frozen
class AssignmentSpec:
    """The group to assign: members by member id, topics by topic id."""

    members: Mapping[str, MemberSpec]
    topics: Mapping[TopicId, TopicMetadata]


@frozen
class MemberAssignment:
    """What one member is to have. Topics it gets nothing of are left out."""

    partitions: Mapping[TopicId, Set[int]] = field(factory=dict)
    metadata: Metadata | None = None


@frozen
class GroupAssignment:
    """What every member is to have, by member id; ``error`` is the assignor's word to them, 0 for none."""

    members: Mapping[str, MemberAssignment]
    error: int = 0


class PartitionAssignor(ABC):
    """The way a group shares its partitions. Subclasses set ``name`` and write ``assign``.

    ``minimum_version`` to ``maximum_version`` are the versions of member metadata that this assignor reads.
    """

    name: str
    minimum_version: int = 0
    maximum_version: int = 0

    def metadata(self) -> AssignorMetadata:
        """What this member wants the assignor to know. Asked again before heartbeats."""
        return AssignorMetadata()

    @abstractmethod
    def assign(self, group: AssignmentSpec) -> GroupAssignment:
        """Share the partitions out: each one of a subscribed topic to exactly one member subscribed to it.

        Raises:
            PartitionAssignorError: this group can't be assigned.
        """

    def loads(
        self,
        group: AssignmentSpec,
        shares: Mapping[str, Mapping[TopicId, Set[int]]],
    ) -> Mapping[str, float] | None:
        """How much work these shares would be for each member, in this assignor's own measure; for ``explain`` only.

        None, as here, for an assignor that counts partitions.
        """
        return None

    def on_assignment(  # noqa: B027  (a hook most assignors have no use for)
        self, error: int, assignment: MemberAssignment, group: ConsumerGroupMetadata
    ) -> None:
        """Learn the final target of a new epoch. Called once per epoch, on the member.

        The target may hold partitions that another member has not released yet; what may be read already is
        told by the rebalance listener only.
        """
