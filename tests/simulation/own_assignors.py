"""The assignors that a client has of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from kafka_nextgen.assignors.spec import AssignmentSpec, ClientAssignor, GroupAssignment, PartitionAssignorError
from kafka_nextgen.membership.assigning import running
from kafka_nextgen.membership.assigning.running import offer_of
from tests.simulation.assignors import Talkative
from tests.simulation.dice import Dice, Fault
from tests.simulation.own_time import OwnTime

__all__ = ["HasAssignors", "compute", "offers"]

_COMPUTES_S = 0.02


class HasAssignors(Protocol):
    """What is asked of the client."""

    dice: Dice
    assignors: tuple[Talkative, ...]
    time: OwnTime


def offers(owner: HasAssignors) -> tuple[ClientAssignor, ...]:
    """What they say."""
    return tuple(offer_of(assignor) for assignor in owner.assignors)


def compute(
    owner: HasAssignors, name: str, group: AssignmentSpec, ended: Callable[[GroupAssignment | str], None]
) -> None:
    """Have one of them assign the group; it ends with what it made, or with why it made nothing."""
    slow = owner.dice.happens(Fault.SLOW_OWN_ASSIGNOR)
    assignor = next(each for each in owner.assignors if each.name == name)

    def work() -> None:
        try:
            ended(running.compute(assignor, group))
        except PartitionAssignorError as failed:
            ended(str(failed))

    owner.time.later(owner.dice.between(1.0, 40.0) if slow else _COMPUTES_S, work)
