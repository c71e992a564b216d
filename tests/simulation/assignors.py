"""Assignors that are anybody's code: they do their work, and at times raise, or make what is no assignment."""

from __future__ import annotations

from kafka_nextgen.assignors import PartitionAssignor
from kafka_nextgen.assignors.spec import AssignmentSpec, AssignorMetadata, GroupAssignment, Metadata
from tests.simulation.dice import Dice, Fault

__all__ = ["Moody", "Talkative"]


class Moody(PartitionAssignor):
    """One of the coordinator's."""

    raises, lies = Fault.ASSIGNOR_RAISES, Fault.ASSIGNOR_LIES

    def __init__(self, sound: PartitionAssignor, dice: Dice, name: str = "") -> None:
        self.name, self._sound, self._dice = name or sound.name, sound, dice

    def assign(self, group: AssignmentSpec) -> GroupAssignment:
        """As the sound one does it, most of the time."""
        if self._dice.happens(self.raises, 0.1):
            raise ValueError("it is in a mood")
        assignment = self._sound.assign(group)
        if assignment.members and self._dice.happens(self.lies, 0.1):
            one = min(assignment.members)
            return GroupAssignment({**assignment.members, f"not {one}": assignment.members[one]})
        return assignment


class Talkative(Moody):
    """One of a member's own, which has something else to say from time to time."""

    raises, lies = Fault.OWN_ASSIGNOR_RAISES, Fault.OWN_ASSIGNOR_LIES

    def __init__(self, sound: PartitionAssignor, dice: Dice, name: str) -> None:
        super().__init__(sound, dice, name)
        self._words = 0

    def assign(self, group: AssignmentSpec) -> GroupAssignment:
        """It leaves out members that are to have nothing."""
        made = super().assign(group)
        return GroupAssignment({each: has for each, has in made.members.items() if any(has.partitions.values())})

    def metadata(self) -> AssignorMetadata:
        """Its last word."""
        return AssignorMetadata(metadata=Metadata(0, b"%d" % self._words))

    def think_again(self) -> None:
        """Have another word."""
        self._words += 1
