"""The final assignment of the cooperative-sticky assignor, which takes several rounds.

It withholds a partition from the new owner until the previous one has revoked it, and assigns it in the next round
(KIP-429). Here members revoke at once, so rounds are run until nothing changes.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.assignors.cooperative_sticky import CooperativeStickyAssignor, generation_metadata
from kafka_nextgen.assignors.spec import AssignmentSpec, GroupAssignment, MemberAssignment, PartitionAssignor

__all__ = ["SettledCooperativeStickyAssignor"]

#: Two are enough with equal subscriptions. Otherwise the revoked partitions may allow a more even assignment.
_MOST_ROUNDS = 5

_NOTHING = MemberAssignment()


class SettledCooperativeStickyAssignor(PartitionAssignor):
    """The final assignment of the cooperative-sticky assignor."""

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
            target=assignment.members.get(member_id, _NOTHING).partitions,
            metadata=generation_metadata(generation),
        )
        for member_id, member in group.members.items()
    }
    return AssignmentSpec(members, group.topics)
