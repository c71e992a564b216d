"""What extensions keep of a group: in ``Group.kept`` what its records say, in ``Group.remembered`` what none does.

Who computes a group's next target is not recorded: a new coordinator chooses again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, TypeVar, cast

from attrs import frozen

from kafka_nextgen.assignors.spec import AssignmentSpec
from kafka_nextgen.coordinator.extensions.records import Place, Rebalance
from kafka_nextgen.coordinator.group import Group

__all__ = ["COMPUTING", "HISTORY", "OFFERS", "PLACES", "PREFERENCES", "Computing", "Prepared", "Slot"]

T = TypeVar("T")


@frozen
class Slot(Generic[T]):
    """A value of each group, ``empty`` unless one was put there; ``attribute`` is where the group has it."""

    name: str
    empty: T
    attribute: str = "kept"

    def of(self, group: Group) -> T:
        """The group's value."""
        return cast(T, getattr(group, self.attribute).get(self.name, self.empty))

    def put(self, group: Group, value: T) -> None:
        """Let the group have another value."""
        values: dict[str, Any] = {**getattr(group, self.attribute), self.name: value}
        if value == self.empty:
            del values[self.name]
        setattr(group, self.attribute, values)


@frozen
class Prepared:
    """The group that an assignment is computed for, and is judged by."""

    group_epoch: int
    spec: AssignmentSpec


@frozen
class Computing:
    """Where the computation stands.

    | | |
    |---|---|
    | no ``assignor`` | there is nothing to compute |
    | an ``assignor`` | a member is to be found |
    | a ``member_id`` | it is told with each answer that it should compute |
    | ``prepared`` | it knows the group, and is at it |

    A member that has ``failed`` is not asked again as long as the group is at that epoch. One that was ``late`` is, if
    no other is left. ``complaint`` says of the last failure what is still to be told to the members in ``untold``.
    ``is_urgent`` after an assignment for an older epoch: the next is not put off.
    """

    assignor: str | None = None
    member_id: str | None = None
    prepared: Prepared | None = None
    is_urgent: bool = False
    failed: frozenset[str] = frozenset()
    late: frozenset[str] = frozenset()
    failed_epoch: int = -1
    complaint: str = ""
    untold: frozenset[str] = frozenset()


#: The places kept for instances that are to come, by instance id.
PLACES: Slot[Mapping[str, Place]] = Slot("places", {})

#: The latest rebalances, by the slots of their records.
HISTORY: Slot[Mapping[int, Rebalance]] = Slot("history", {})

#: How many members have an assignor in which way: name, range of versions read, version written.
OFFERS: Slot[Mapping[tuple[str, int, int, int], int]] = Slot("offers", {})

#: How many members have which assignors, by the names in their order.
PREFERENCES: Slot[Mapping[tuple[str, ...], int]] = Slot("preferences", {})

COMPUTING: Slot[Computing] = Slot("computing", Computing(), "remembered")
