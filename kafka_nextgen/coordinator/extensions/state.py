"""What extensions keep of a group: in ``Group.kept`` what its records say, in ``Group.remembered`` what none does.

Who computes a group's next target is not recorded: a new coordinator chooses again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar, cast

from attrs import frozen

from kafka_nextgen.assignors.spec import AssignmentSpec
from kafka_nextgen.coordinator.extensions import records as x
from kafka_nextgen.coordinator.extensions.records import Place, Rebalance
from kafka_nextgen.coordinator.group import Group
from kafka_nextgen.coordinator.records import ExtensionRecord

__all__ = ["COMPUTING", "HISTORY", "OFFERS", "PLACES", "PREFERENCES", "STANDBYS", "Computing", "Prepared", "apply"]

T = TypeVar("T")


@frozen
class Kept(Generic[T]):
    """A value of each group that its records give, ``empty`` unless one was put there."""

    name: str
    empty: T

    def of(self, group: Group) -> T:
        """The group's value."""
        return cast(T, group.kept.get(self.name, self.empty))

    def put(self, group: Group, value: T) -> None:
        """Let the group have another value."""
        kept = {**group.kept, self.name: value}
        if value == self.empty:
            del kept[self.name]
        group.kept = kept


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
    ``is_urgent`` after an assignment for an older epoch, or if standbys take over: the next is not put off. The
    standbys' hand-over is the whole target of the group epoch ``taken_over_at``.
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
    taken_over_at: int = -1


class _Remembered:
    """Who computes, as long as there is this coordinator."""

    empty = Computing()

    def of(self, group: Group) -> Computing:
        """Where the group's computation stands."""
        return self.empty if group.remembered is None else cast(Computing, group.remembered)

    def put(self, group: Group, value: Computing) -> None:
        """Let it stand elsewhere."""
        group.remembered = None if value == self.empty else value


#: The places kept for instances that are to come, by instance id.
PLACES: Kept[Mapping[str, Place]] = Kept("places", {})

#: The latest rebalances, by the slots of their records.
HISTORY: Kept[Mapping[int, Rebalance]] = Kept("history", {})

#: How many members have an assignor in which way: name, range of versions read, version written.
OFFERS: Kept[Mapping[tuple[str, int, int, int], int]] = Kept("offers", {})

#: How many members have which assignors, by the names in their order.
PREFERENCES: Kept[Mapping[tuple[str, ...], int]] = Kept("preferences", {})

#: The members that stand by, in the order in which they take over.
STANDBYS: Kept[tuple[str, ...]] = Kept("standbys", ())

COMPUTING = _Remembered()


def _rebalance(group: Group, record: x.RebalanceRecorded) -> None:
    HISTORY.put(group, {**HISTORY.of(group), record.slot: record.rebalance})


def _rebalance_removed(group: Group, record: x.RebalanceRecordedRemoved) -> None:
    kept = {slot: rebalance for slot, rebalance in HISTORY.of(group).items() if slot != record.slot}
    HISTORY.put(group, kept)


def _expected(group: Group, record: x.ExpectedMembers) -> None:
    PLACES.put(group, {place.instance_id: place for place in record.places})


def _expected_removed(group: Group, _: x.ExpectedMembersRemoved) -> None:
    PLACES.put(group, {})


def _standbys(group: Group, record: x.StandbyMembers) -> None:
    STANDBYS.put(group, record.member_ids)


def _standbys_removed(group: Group, _: x.StandbyMembersRemoved) -> None:
    STANDBYS.put(group, ())


_APPLY: Mapping[type, Callable[[Group, Any], None]] = {
    x.RebalanceRecorded: _rebalance,
    x.RebalanceRecordedRemoved: _rebalance_removed,
    x.ExpectedMembers: _expected,
    x.ExpectedMembersRemoved: _expected_removed,
    x.StandbyMembers: _standbys,
    x.StandbyMembersRemoved: _standbys_removed,
}


def apply(group: Group, record: ExtensionRecord) -> None:
    """Take a record in."""
    _APPLY[type(record)](group, record)
