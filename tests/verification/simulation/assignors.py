"""Assignors that are anybody's code: they do their work, and at times raise, or make what is no assignment."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from kafka_nextgen.assignors import HotStandby, PartitionAssignor
from kafka_nextgen.assignors.spec import (
    AssignmentSpec,
    AssignorMetadata,
    ClientAssignor,
    GroupAssignment,
    Metadata,
    PartitionAssignorError,
)
from kafka_nextgen.assignors.standby_metadata import HOT_STANDBY
from kafka_nextgen.membership.assigning import running
from kafka_nextgen.membership.assigning.running import offer_of
from tests.verification.simulation.dice import Dice, Fault

if TYPE_CHECKING:
    from tests.verification.simulation.clients import Client


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
        return AssignorMetadata(metadata=Metadata(0, b"%d" % self._words))

    def think_again(self) -> None:
        self._words += 1


class Reserving(Talkative):
    """``HotStandby``, which keeps ``target_size`` members active; the others have nothing but their places."""

    def __init__(self, target_size: int, among: PartitionAssignor, dice: Dice) -> None:
        super().__init__(HotStandby(target_size, among), dice, HOT_STANDBY)
        self.target_size = target_size

    def assign(self, group: AssignmentSpec) -> GroupAssignment:
        """Unlike others of a member's own, it leaves out no member: each gets its place."""
        return Moody.assign(self, group)


_COMPUTES_S = 0.02


def offers(owner: Client) -> tuple[ClientAssignor, ...]:
    return tuple(offer_of(assignor) for assignor in owner.assignors)


def compute(owner: Client, name: str, group: AssignmentSpec, ended: Callable[[GroupAssignment | str], None]) -> None:
    """Have one of them assign the group; it ends with what it made, or with why it made nothing."""
    slow = owner.dice.happens(Fault.SLOW_OWN_ASSIGNOR)
    assignor = next(each for each in owner.assignors if each.name == name)

    def work() -> None:
        try:
            ended(running.compute(assignor, group))
        except PartitionAssignorError as failed:
            ended(str(failed))

    owner.time.later(owner.dice.between(1.0, 40.0) if slow else _COMPUTES_S, work)
