"""Which members of a group with a target size change places: become active, stand by, or take over (``standbys``).

The active members that are present fill the group first. If there are too few, standbys that are present become active
in the order of their queue, but those that say that they are loading only if no other is left. Each of them replaces an
active member that is leaving or away, as long as there is one. Once enough are present, the members that are still away
stand by. If there are too many, those with the fewest partitions become standbys, ahead of all others in the queue.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from heapq import nsmallest

from attrs import field

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.testing.coordinator.admission import LEAVE_TEMPORARILY
from kafka_nextgen.testing.coordinator.extensions.registration.slots import waiting
from kafka_nextgen.testing.coordinator.extensions.state import LOADING, STANDBYS
from kafka_nextgen.testing.coordinator.group import Group

__all__ = ["StandbyChange", "Swap", "is_away", "is_settled", "plan_change", "takeover_order"]


@frozen
class Swap:
    """A standby takes over from an active member."""

    predecessor: str
    successor: str


@frozen
class StandbyChange:
    """The group's new queue of standbys, and which members change places; ``loading`` are those that are not ready."""

    queue: tuple[str, ...]
    swaps: tuple[Swap, ...] = ()
    activated: tuple[str, ...] = ()
    sidelined: tuple[str, ...] = ()  # active before, and not replaced
    loading: frozenset[str] = field(default=frozenset(), eq=False)

    @property
    def is_empty(self) -> bool:
        """Whether no member changes places."""
        return not (self.swaps or self.activated or self.sidelined)

    def __str__(self) -> str:
        return ", ".join(
            (
                *(f"{self._named(swap.successor)} took over for {swap.predecessor}" for swap in self.swaps),
                *(f"{self._named(member_id)} became active" for member_id in self.activated),
                *(f"{member_id} became a standby" for member_id in self.sidelined),
            )
        )

    def _named(self, member_id: str) -> str:
        return f"standby {member_id}, still loading," if member_id in self.loading else f"standby {member_id}"


def is_settled(group: Group, size: int) -> bool:
    """Whether no member changes places until one joins or leaves. Every heartbeat asks this, so its cost must not
    depend on the number of members.
    """
    queue = STANDBYS.of(group)
    active = len(group.members) - len(queue) - sum(member_id not in queue for member_id in waiting(group))
    return 0 < size == active or (active < size and all(is_away(group, member_id) for member_id in queue))


def plan_change(
    group: Group,
    size: int,
    queue: Sequence[str],
    leaving: Collection[str] = (),
    loading: frozenset[str] | None = None,
) -> StandbyChange:
    """Decide which members change places.

    Args:
        group: The group with all its members.
        size: How many members are active; 0 if all are.
        queue: The members that stand by, and one that joins, in the order in which they become active.
        leaving: The members that are about to be removed.
        loading: The standbys that are loading; None for those that have said so.
    """
    loading = LOADING.of(group) if loading is None else loading
    leaving = set(leaving)
    queue = [member_id for member_id in queue if member_id not in leaving]
    if not size:
        return StandbyChange((), activated=tuple(queue), loading=loading)
    left_out = {*waiting(group), *queue, *STANDBYS.of(group)}
    active = [member_id for member_id in sorted(group.members) if member_id not in left_out]
    gone = {member_id for member_id in active if member_id in leaving or is_away(group, member_id)}
    absent = [member_id for member_id in active if member_id in gone]
    away = [member_id for member_id in absent if member_id not in leaving]
    present = [member_id for member_id in active if member_id not in gone]
    if len(present) < size:
        return _fill(group, size - len(present), queue, absent, away, loading)
    surplus = _fewest_partitions(group, present, len(present) - size)
    return StandbyChange((*surplus, *away, *queue), sidelined=(*surplus, *away))


def _fill(
    group: Group,
    missing: int,
    queue: Sequence[str],
    absent: Sequence[str],
    away: Sequence[str],
    loading: frozenset[str],
) -> StandbyChange:
    """The first standbys that are present become active; members that are away and replaced are the last standbys.

    There may be more members away than missing, because the target size may have been lowered.
    """
    chosen = takeover_order(group, queue, loading)[:missing]
    swaps = tuple(map(Swap, absent, chosen))
    replaced = [swap.predecessor for swap in swaps if swap.predecessor in away]
    sidelined = tuple(member_id for member_id in away if member_id not in replaced) if len(chosen) == missing else ()
    left = set(queue).difference(chosen)
    still_waiting = (member_id for member_id in queue if member_id in left)
    activated = tuple(chosen[len(swaps) :])
    return StandbyChange((*sidelined, *still_waiting, *replaced), swaps, activated, sidelined, loading)


def takeover_order(group: Group, queue: Sequence[str], loading: Collection[str]) -> list[str]:
    """The standbys that are present, in the order in which they take over: those that are loading last."""
    present = (member_id for member_id in queue if not is_away(group, member_id))
    return sorted(present, key=lambda member_id: member_id in loading)


def _fewest_partitions(group: Group, member_ids: Iterable[str], count: int) -> list[str]:
    """The first ``count`` members, those with the fewest partitions first."""

    def size_of(member_id: str) -> tuple[int, str]:
        return sum(map(len, group.target(member_id).values())), member_id

    return nsmallest(count, member_ids, size_of)


def is_away(group: Group, member_id: str) -> bool:
    """Whether the member is a static one that left temporarily."""
    return group.current(member_id).member_epoch == LEAVE_TEMPORARILY
