"""The extensions' state of a group: ``Group.kept`` has what its records contain, ``Group.remembered`` the rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Generic, Literal, TypeVar, cast

from kafka_nextgen.assignors.spec import AssignmentSpec
from kafka_nextgen.groups.extensions import records as x
from kafka_nextgen.groups.extensions.records import Leaver, Rebalance, Slot
from kafka_nextgen.groups.records import ExtensionRecord
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.testing.coordinator.group import Group

__all__ = [
    "COMPUTING",
    "HISTORY",
    "LEAVERS",
    "LOADING",
    "OFFERS",
    "PREFERENCES",
    "SLOTS",
    "STANDBYS",
    "TOLD",
    "Computing",
    "Prepared",
    "apply",
]

T = TypeVar("T")


@frozen
class StateOf(Generic[T]):
    """A value per group, ``empty`` unless it was set. ``where`` names the attribute of ``Group`` that holds it."""

    where: Literal["kept", "remembered"]
    name: str
    empty: T

    def of(self, group: Group) -> T:
        """The group's value."""
        return cast(T, getattr(group, self.where).get(self.name, self.empty))

    def put(self, group: Group, value: T) -> None:
        """Replace the group's value."""
        values = {**getattr(group, self.where), self.name: value}
        if value == self.empty:
            del values[self.name]
        setattr(group, self.where, values)


@frozen
class Prepared:
    """The group that an assignment is computed for and validated against."""

    group_epoch: int
    spec: AssignmentSpec


@frozen
class Computing:
    """The state of a computation.

    | set | state |
    |---|---|
    | nothing | there is nothing to compute |
    | ``assignor`` | no member is chosen yet |
    | ``member_id`` | each answer tells this member to compute |
    | ``prepared`` | the member has fetched the group, and computes |

    A member that has ``failed`` is not chosen again while the group is at ``failed_epoch``. One that was ``late`` is
    chosen again if no other is left. ``complaint`` is the message of the last failure, which the members in ``untold``
    have not received yet. ``is_urgent`` is set after an assignment for an older epoch, or if standbys take over: the
    next assignment does not wait for its interval. If the group is still at epoch ``taken_over_at``, the next target is
    the former one, with standbys in place of their predecessors.
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


#: The slots kept for expected instances, by instance id.
SLOTS: StateOf[Mapping[str, Slot]] = StateOf("kept", "slots", {})

#: The members that are announced to leave, and those that have left since the latest rebalance, by key.
LEAVERS: StateOf[Mapping[tuple[str, str | None], Leaver]] = StateOf("kept", "leavers", {})

#: The latest rebalances, by slot.
HISTORY: StateOf[Mapping[int, Rebalance]] = StateOf("kept", "history", {})

#: The number of members by assignor name, range of versions read, and version written.
OFFERS: StateOf[Mapping[tuple[str, int, int, int], int]] = StateOf("kept", "offers", {})

#: The number of members by the names of their assignors, preferred first.
PREFERENCES: StateOf[Mapping[tuple[str, ...], int]] = StateOf("kept", "preferences", {})

#: The standbys, in the order in which they take over.
STANDBYS: StateOf[tuple[str, ...]] = StateOf("kept", "standbys", ())

#: The standbys that say that they are loading. The others count as ready.
LOADING: StateOf[frozenset[str]] = StateOf("kept", "loading", frozenset())

#: By standby: the topics for which it was last told its possible partitions.
TOLD: StateOf[Mapping[str, frozenset[str]]] = StateOf("remembered", "told", {})

#: The state of the computation of the next target. A new coordinator restarts it.
COMPUTING = StateOf("remembered", "computing", Computing())


def apply(group: Group, record: ExtensionRecord) -> None:
    """Apply a record."""
    match record:
        case x.RebalanceRecorded():
            HISTORY.put(group, {**HISTORY.of(group), record.slot: record.rebalance})
        case x.RebalanceRecordedRemoved():
            HISTORY.put(group, {slot: kept for slot, kept in HISTORY.of(group).items() if slot != record.slot})
        case x.ExpectedMembers():
            SLOTS.put(group, {slot.instance_id: slot for slot in record.slots})
        case x.ExpectedMembersRemoved():
            SLOTS.put(group, {})
        case x.LeavingMembers():
            LEAVERS.put(group, {leaver.key: leaver for leaver in record.leavers})
        case x.LeavingMembersRemoved():
            LEAVERS.put(group, {})
        case x.StandbyMembers():
            STANDBYS.put(group, record.member_ids)
            LOADING.put(group, frozenset(record.loading))
        case x.StandbyMembersRemoved():
            STANDBYS.put(group, ())
            LOADING.put(group, frozenset())
        case _:
            raise AssertionError(f"no extension handles the record {record}")
