"""The cooperative-sticky assignor of the classic protocol (KIP-429): uniform, from what the members say they own.

Shares are those of the uniform assignor, with the rightful claims as the previous target: as even as can be, and as
sticky as that allows. Ties go by the line of members, so that a static member's restart changes nothing. What is to
move is withheld as long as another claims it; ``cooperation`` has the rules of that.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.assignors.cooperation import NO_GENERATION, Claim, Claims
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

__all__ = ["CooperativeStickyAssignor", "generation_metadata"]

_GENERATION_BYTES = 4


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
        claims = Claims.among(
            {member_id: Claim(member.target, _generation(member)) for member_id, member in group.members.items()}
        )
        in_line = line_of(group.members)
        places = {f"{place:09}": member_id for place, member_id in enumerate(in_line)}
        members = {
            place: evolve(group.members[member_id], target=claims.kept(member_id, group.members[member_id].target))
            for place, member_id in places.items()
        }
        shares = UniformAssignor().assign(AssignmentSpec(members, group.topics)).members
        return GroupAssignment(
            {
                places[place]: MemberAssignment(claims.withhold(places[place], share.partitions))
                for place, share in shares.items()
            }
        )


def _generation(member: MemberSpec) -> int:
    payload = member.metadata.payload
    if len(payload) != _GENERATION_BYTES:
        return NO_GENERATION
    return max(int.from_bytes(payload, "big", signed=True), NO_GENERATION)
