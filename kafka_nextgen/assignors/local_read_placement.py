"""Choose each member's partitions, once its number of partitions is known, so that as many as planned are local.

1. *Caps.* Extras go first to members whose rack needs one for its planned local reads, preferring members that already
   have more than their quota; then to members that have more; then to the others, in order.
2. *Keeping.* In order, members keep their partitions up to their caps: first local ones, up to the number planned for
   their rack from each rack set; then partitions that are planned for no rack, if the rack has room beyond its planned
   ones.
3. *Filling.* The rest goes to members with room in the planned rack, then to any member with room.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from itertools import chain

from kafka_nextgen.assignors.local_read_plan import MemberQuota, Plan, RackSets, plan_local_reads
from kafka_nextgen.lazy_attrs import define

__all__ = ["place_locally"]


@define
class _Open:
    """Open partitions: those planned for racks; those planned for no rack, by rack set, with each rack's room for
    these."""

    planned: Plan
    unplanned: Counter[int]
    room: Counter[str | None]


def place_locally(rack_sets: RackSets, members: Sequence[MemberQuota], extras: int = 0) -> list[list[int]]:
    """Choose the partitions of each member, as indexes of ``rack_sets.of_partition``.

    The quotas and ``extras`` add up to the number of partitions; no member gets more than one extra.
    """
    plan = plan_local_reads(rack_sets, members, extras)
    caps = _caps(members, plan, extras)
    still_open = _open(rack_sets, members, plan, caps)
    kept = [_keep(rack_sets, member, cap, still_open) for member, cap in zip(members, caps, strict=True)]
    _fill(rack_sets, members, caps, still_open.planned, kept)
    return kept


def _caps(members: Sequence[MemberQuota], plan: Plan, extras: int) -> list[int]:
    """The number of partitions of each member. The sort is stable, so equal claims are served in order."""
    needed = Counter[str | None]()
    for (_, planned_for), count in plan.items():
        needed[planned_for] += count
    for member in members:
        needed[member.rack] -= member.quota
    needed = +needed
    spare = extras - needed.total()
    caps = [member.quota for member in members]
    for index in sorted(range(len(members)), key=lambda index: len(members[index].has) <= members[index].quota):
        rack = members[index].rack
        if needed[rack]:
            needed[rack] -= 1
            caps[index] += 1
        elif spare:
            spare -= 1
            caps[index] += 1
    return caps


def _open(rack_sets: RackSets, members: Sequence[MemberQuota], plan: Plan, caps: Sequence[int]) -> _Open:
    unplanned, room = Counter(rack_sets.of_partition), Counter[str | None]()
    for member, cap in zip(members, caps, strict=True):
        room[member.rack] += cap
    for (rack_set, rack), count in plan.items():
        unplanned[rack_set] -= count
        room[rack] -= count
    return _Open(plan, unplanned, room)


def _keep(rack_sets: RackSets, member: MemberQuota, cap: int, still_open: _Open) -> list[int]:
    kept: list[int] = []
    others: list[int] = []
    for partition in member.has:
        rack_set = rack_sets.of_partition[partition]
        if member.rack is None or member.rack not in rack_sets.racks[rack_set]:
            others.append(partition)
        elif len(kept) < cap and still_open.planned[rack_set, member.rack]:
            still_open.planned[rack_set, member.rack] -= 1
            kept.append(partition)
    for partition in others:
        rack_set = rack_sets.of_partition[partition]
        if len(kept) < cap and still_open.unplanned[rack_set] and still_open.room[member.rack]:
            still_open.unplanned[rack_set] -= 1
            still_open.room[member.rack] -= 1
            kept.append(partition)
    return kept


def _fill(
    rack_sets: RackSets, members: Sequence[MemberQuota], caps: Sequence[int], planned: Plan, shares: list[list[int]]
) -> None:
    taken = set(chain.from_iterable(shares))
    free: dict[int, deque[int]] = {}
    for partition, rack_set in enumerate(rack_sets.of_partition):
        if partition not in taken:
            free.setdefault(rack_set, deque()).append(partition)
    arriving: dict[str | None, deque[int]] = {}
    for (rack_set, rack), count in sorted((+planned).items()):
        arriving.setdefault(rack, deque()).extend(free[rack_set].popleft() for _ in range(count))
    rest = deque(sorted(chain.from_iterable(free.values())))
    for waiting in (arriving, dict.fromkeys((member.rack for member in members), rest)):
        for member, cap, share in zip(members, caps, shares, strict=True):
            here = waiting.get(member.rack)
            while here and len(share) < cap:
                share.append(here.popleft())
    assert not rest, "the quotas and extras add up to the number of partitions"
