"""The input and output of an assignor (KIP-848, "PartitionAssignor").

The input is the group as its coordinator sees it: every member with its subscription (topic *names*) and its share of
the previous target assignment, and every topic with its partitions. The partitions that members own at the moment are
not part of it: the coordinator reconciles them with the new target.

An assignor must depend on nothing else: not on time, randomness or the order of the mappings. So the same group gets
the same assignment on every member or coordinator that computes it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Set

from attrs import field

from kafka_nextgen.errors import KafkaNextgenError
from kafka_nextgen.group_metadata import ConsumerGroupMetadata
from kafka_nextgen.lazy_attrs import frozen
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
    """Metadata that assignors exchange: ``payload`` in ``version`` of the assignor's own schema."""

    version: int = 0
    payload: bytes = b""


_NO_METADATA = Metadata()


@frozen
class AssignorMetadata:
    """A member's metadata for the assignor. A ``reason`` other than 0, or new metadata, requests an assignment."""

    reason: int = 0
    metadata: Metadata = _NO_METADATA


@frozen
class ClientAssignor:
    """An assignor that a member can run, with the metadata versions it reads and the metadata it sends.

    A ``reason`` other than 0, or new metadata, requests a new assignment.
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
    """A topic and its partitions, 0 to ``num_partitions`` - 1; ``racks`` has the racks of each partition's replicas."""

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
    """The assignment of one member. Topics without partitions are left out."""

    partitions: Mapping[TopicId, Set[int]] = field(factory=dict)
    metadata: Metadata | None = None


@frozen
class GroupAssignment:
    """The assignment of every member, by member id; ``error`` is the assignor's error code, 0 for none."""

    members: Mapping[str, MemberAssignment]
    error: int = 0


class PartitionAssignor(ABC):
    """Assigns partitions to members. Subclasses set ``name`` and implement ``assign``.

    ``minimum_version`` to ``maximum_version`` are the versions of member metadata that this assignor reads.
    """

    name: str
    minimum_version: int = 0
    maximum_version: int = 0

    def metadata(self) -> AssignorMetadata:
        """This member's metadata for the assignor. Called before heartbeats."""
        return AssignorMetadata()

    @abstractmethod
    def assign(self, group: AssignmentSpec) -> GroupAssignment:
        """Assign each partition of a subscribed topic to exactly one member subscribed to it.

        Raises:
            PartitionAssignorError: this group can't be assigned.
        """

    def loads(
        self,
        group: AssignmentSpec,
        shares: Mapping[str, Mapping[TopicId, Set[int]]],
    ) -> Mapping[str, float] | None:
        """The load of each member with these shares, in the assignor's own measure; for ``explain`` only.

        None, as here, for an assignor that counts partitions.
        """
        return None

    def on_assignment(  # noqa: B027  (a hook most assignors have no use for)
        self, error: int, assignment: MemberAssignment, group: ConsumerGroupMetadata
    ) -> None:
        """Receive this member's target assignment for a new epoch. Called once per epoch, on the member.

        The target may include partitions that another member has not revoked yet. The rebalance listener gets the ones
        that can already be read.
        """
