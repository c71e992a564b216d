"""The cooperative-sticky assignor of the classic protocol (KIP-429): uniform, from what the members say they own.

1. *Claims.* Every member reports what it owns, and the generation it got that in. Of two that claim the same
   partition the one of the higher generation is right; in the same generation neither is.
2. *Shares* are those of the uniform assignor, with the rightful claims as the previous target: as even as can be,
   and as sticky as that allows. Ties go by the line of members, so that a static member's restart changes nothing.
3. *Withholding.* A partition that is to move is given to nobody as long as somebody else claims it rightfully. Its
   owner sees that it is to give it up, does so and joins again, and the next round gives it to its new owner
   (KIP-429, "Consumer Protocol"). So nobody ever reads what another still reads.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve

from kafka_nextgen.assignors.line import line_of
from kafka_nextgen.assignors.spec import (
    AssignmentSpec,
    GroupAssignment,
    MemberAssignment,
    MemberSpec,
    Metadata,
    PartitionAssignor,
)
from kafka_nextgen.assignors.uniform import UniformAssignor
from kafka_nextgen.types import TopicId, TopicIdPartition

__all__ = ["NO_GENERATION", "CooperativeStickyAssignor", "generation_metadata"]

#: The generation of a member that says none.
NO_GENERATION = -1
_GENERATION_BYTES = 4

#: Who claims a partition in the highest generation that anybody claims it in.
Claims = Mapping[TopicIdPartition, frozenset[str]]


def generation_metadata(generation: int) -> Metadata:
    """A member's word to this assignor: the generation in which it got what it owns."""
    return Metadata(payload=generation.to_bytes(_GENERATION_BYTES, "big", signed=True))


class CooperativeStickyAssignor(PartitionAssignor):
    """Even and sticky; moves a partition in two rounds, so that all others are read on meanwhile."""

    name = "cooperative-sticky"

    def assign(self, group: AssignmentSpec) -> GroupAssignment:
        """Share the partitions out, without those that somebody is to give up first.

        A member's ``target`` is what it says it owns, its ``metadata`` what ``generation_metadata`` wrote.
        """
        claims = _rightful(group.members)
        in_line = line_of(group.members)
        places = {f"{place:09}": member_id for place, member_id in enumerate(in_line)}
        members = {
            place: evolve(group.members[member_id], target=_kept(member_id, group.members[member_id], claims))
            for place, member_id in places.items()
        }
        shares = UniformAssignor().assign(AssignmentSpec(members, group.topics)).members
        return GroupAssignment(
            {places[place]: _withhold(places[place], share, claims) for place, share in shares.items()}
        )


def _rightful(members: Mapping[str, MemberSpec]) -> Claims:
    highest: dict[TopicIdPartition, int] = {}
    claims: dict[TopicIdPartition, set[str]] = {}
    for member_id, member in members.items():
        generation = _generation(member)
        for topic_id, numbers in member.target.items():
            for number in numbers:
                partition = TopicIdPartition(topic_id, number)
                if generation > highest.get(partition, NO_GENERATION - 1):
                    highest[partition], claims[partition] = generation, set()
                if generation == highest[partition]:
                    claims[partition].add(member_id)
    return {partition: frozenset(claimants) for partition, claimants in claims.items()}


def _generation(member: MemberSpec) -> int:
    payload = member.metadata.payload
    if len(payload) != _GENERATION_BYTES:
        return NO_GENERATION
    return max(int.from_bytes(payload, "big", signed=True), NO_GENERATION)


def _kept(member_id: str, member: MemberSpec, claims: Claims) -> Mapping[TopicId, frozenset[int]]:
    """What a member owns and nobody else claims with the same right."""
    return {
        topic_id: frozenset(n for n in numbers if claims[TopicIdPartition(topic_id, n)] == {member_id})
        for topic_id, numbers in member.target.items()
    }


def _withhold(member_id: str, share: MemberAssignment, claims: Claims) -> MemberAssignment:
    def is_free(topic_id: TopicId, number: int) -> bool:
        return claims.get(TopicIdPartition(topic_id, number), frozenset()) <= {member_id}

    partitions = {
        topic_id: frozenset(number for number in numbers if is_free(topic_id, number))
        for topic_id, numbers in share.partitions.items()
    }
    return MemberAssignment({topic_id: numbers for topic_id, numbers in partitions.items() if numbers})
