"""Where a group ends that an assignor moves towards in several rounds.

The cooperative-sticky assignor withholds a partition from its new owner until the old one has let go, and gives it out
in the next round (KIP-429). On paper members let go at once, so the rounds are run until nothing changes any more.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.assignors.cooperative_sticky import CooperativeStickyAssignor, generation_metadata
from kafka_nextgen.assignors.spec import AssignmentSpec, GroupAssignment, MemberAssignment, PartitionAssignor

__all__ = ["SettledCooperativeStickyAssignor"]

#: Two do where all subscribe to the same. Where they don't, what became free may make another split the more even one.
_MOST_ROUNDS = 5

_NOTHING = MemberAssignment()


class SettledCooperativeStickyAssignor(PartitionAssignor):
    """What the cooperative-sticky assignor comes to in the end."""

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
    """The group when everybody has what it was given, and nothing else."""
    members = {
        member_id: evolve(
            member,
            target=assignment.members.get(member_id, _NOTHING).partitions,
            metadata=generation_metadata(generation),
        )
        for member_id, member in group.members.items()
    }
    return AssignmentSpec(members, group.topics)
