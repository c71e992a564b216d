"""The cooperative-sticky assignor of the classic protocol (KIP-429): uniform, based on the partitions that members
claim.

1. *Claims.* Every member reports which partitions it owns, and in which generation it got them. If two members claim a
   partition, the member with the higher generation wins; if the generations are equal, neither member keeps it.
2. *Assigning.* The uniform assignor runs with the rightful claims as the previous target. Static members come first,
   by instance id, so that the restart of a static member changes nothing.
3. *Withholding.* A partition that has to move is assigned to no member while another rightfully claims it. Its owner
   sees that it has to revoke the partition, does so and rejoins; the next round assigns the partition to its new owner.

``SettledCooperativeStickyAssignor`` runs all rounds in one call. ``Claims`` can also be used by the application's own
assignors, which only need to return the same assignment in the next round.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve

from kafka_nextgen.assignors.spec import (
    AssignmentSpec,
    GroupAssignment,
    MemberAssignment,
    MemberSpec,
    Metadata,
    PartitionAssignor,
    Share,
)
from kafka_nextgen.assignors.subscriptions import static_members_first
from kafka_nextgen.assignors.uniform import UniformAssignor
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.types import TopicId, TopicIdPartition

__all__ = [
    "NO_GENERATION",
    "Claim",
    "Claims",
    "CooperativeStickyAssignor",
    "SettledCooperativeStickyAssignor",
    "generation_metadata",
]

_GENERATION_BYTES = 4

#: Two rounds are enough with equal subscriptions. Otherwise the revoked partitions may allow a more even assignment.
_MOST_ROUNDS = 5


def generation_metadata(generation: int) -> Metadata:
    """The metadata for this assignor: the generation in which a member got its partitions."""
    return Metadata(payload=generation.to_bytes(_GENERATION_BYTES, "big", signed=True))


class CooperativeStickyAssignor(PartitionAssignor):
    """Balanced and sticky. Moves a partition in two rounds, while members continue to read all others."""

    name = "cooperative-sticky"

    def assign(self, group: AssignmentSpec) -> GroupAssignment:
        """Assign the partitions, except those that another member has to revoke first.

        A member's ``target`` has the partitions it claims to own, its ``metadata`` is the value of
        ``generation_metadata``.
        """
        claims = Claims.among(
            {member_id: Claim(member.target, _generation(member)) for member_id, member in group.members.items()}
        )
        member_ids = static_members_first(group.members)
        ranks = {f"{rank:09}": member_id for rank, member_id in enumerate(member_ids)}
        members = {
            rank: evolve(group.members[member_id], target=claims.kept(member_id, group.members[member_id].target))
            for rank, member_id in ranks.items()
        }
        shares = UniformAssignor().assign(AssignmentSpec(members, group.topics)).members
        return GroupAssignment(
            {
                ranks[rank]: MemberAssignment(claims.withhold(ranks[rank], share.partitions))
                for rank, share in shares.items()
            }
        )


class SettledCooperativeStickyAssignor(PartitionAssignor):
    """The final assignment of the cooperative-sticky assignor, for explanations: it assumes that members revoke
    immediately."""

    name = CooperativeStickyAssignor.name

    def assign(self, group: AssignmentSpec) -> GroupAssignment:
        """Run rounds until one changes nothing."""
        assignment = CooperativeStickyAssignor().assign(group)
        for generation in range(_MOST_ROUNDS):
            settled = CooperativeStickyAssignor().assign(_after(group, assignment, generation))
            if settled == assignment:
                break
            assignment = settled
        return assignment


def _after(group: AssignmentSpec, assignment: GroupAssignment, generation: int) -> AssignmentSpec:
    """The group when all members own exactly what they were assigned."""
    members = {
        member_id: evolve(
            member,
            target=assignment.members.get(member_id, MemberAssignment()).partitions,
            metadata=generation_metadata(generation),
        )
        for member_id, member in group.members.items()
    }
    return AssignmentSpec(members, group.topics)


def _generation(member: MemberSpec) -> int:
    payload = member.metadata.payload
    if len(payload) != _GENERATION_BYTES:
        return NO_GENERATION
    return max(int.from_bytes(payload, "big", signed=True), NO_GENERATION)


#: The generation of a member that reports none.
NO_GENERATION = -1


@frozen
class Claim:
    """The partitions that a member claims to own, and since which generation."""

    owned: Share
    generation: int = NO_GENERATION


@frozen
class Claims:
    """The rightful claimants of each partition: those that claim it in the highest generation."""

    _claimants: Mapping[TopicIdPartition, frozenset[str]]

    @classmethod
    def among(cls, claims: Mapping[str, Claim]) -> Claims:
        """Compare the claims, by member id."""
        highest: dict[TopicIdPartition, int] = {}
        claimants: dict[TopicIdPartition, set[str]] = {}
        for member_id, claim in claims.items():
            for partition in _each(claim.owned):
                if claim.generation > highest.get(partition, NO_GENERATION - 1):
                    highest[partition], claimants[partition] = claim.generation, set()
                if claim.generation == highest[partition]:
                    claimants[partition].add(member_id)
        return cls({partition: frozenset(members) for partition, members in claimants.items()})

    def kept(self, member_id: str, owned: Share) -> dict[TopicId, frozenset[int]]:
        """The partitions of ``owned`` that only this member claims rightfully."""
        return {
            topic_id: frozenset(n for n in numbers if self._of(topic_id, n) == {member_id})
            for topic_id, numbers in owned.items()
        }

    def withhold(self, member_id: str, share: Share) -> dict[TopicId, frozenset[int]]:
        """The part of a member's new share that it may own immediately."""
        free = {
            topic_id: frozenset(n for n in numbers if self._of(topic_id, n) <= {member_id})
            for topic_id, numbers in share.items()
        }
        return {topic_id: numbers for topic_id, numbers in free.items() if numbers}

    def _of(self, topic_id: TopicId, number: int) -> frozenset[str]:
        return self._claimants.get(TopicIdPartition(topic_id, number), frozenset())


def _each(share: Share) -> list[TopicIdPartition]:
    return [TopicIdPartition(topic_id, number) for topic_id, numbers in share.items() for number in numbers]
