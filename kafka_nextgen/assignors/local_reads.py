"""Who gets which partition, once it is settled how many each member gets: as many as can be are local (``local_plan``).

1. *Caps.* Of the members that may get one more than is due, those come first whose rack needs it for its local reads,
   then those that have so many already, then all others, in order.
2. *Keeping.* Members in order keep what they have, up to their caps: local partitions as far as so many of that sort
   are planned for their rack; then others, as far as those are planned for no rack and leave room for what is.
3. *Filling.* What is left goes to members with room in the rack it is planned for, then the rest to whoever has room.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from itertools import chain

from attrs import define

from kafka_nextgen.assignors.local_plan import Plan, Seat, Sorts, plan_local_reads

__all__ = ["place_locally"]


@define
class _Open:
    """What is still open: planned for racks, planned for none (by sort), and the room that racks have for those."""

    planned: Plan
    unplanned: Counter[int]
    room: Counter[str | None]


def place_locally(sorts: Sorts, seats: Sequence[Seat], extras: int = 0) -> list[list[int]]:
    """The partitions, indexes of ``sorts.of``, that each of the seats is to have.

    As many partitions are due, extras included, as there are; no seat gets more than one extra.
    """
    plan = plan_local_reads(sorts, seats, extras)
    caps = _caps(seats, plan, extras)
    still_open = _opened(sorts, seats, plan, caps)
    kept = [_keep(sorts, seat, cap, still_open) for seat, cap in zip(seats, caps, strict=True)]
    _fill(sorts, seats, caps, still_open.planned, kept)
    return kept


def _caps(seats: Sequence[Seat], plan: Plan, extras: int) -> list[int]:
    """How many each seat gets. The sort is stable, so those with as good a claim are served in order."""
    needed = Counter[str | None]()
    for (_, planned_for), count in plan.items():
        needed[planned_for] += count
    for seat in seats:
        needed[seat.rack] -= seat.due
    needed = +needed
    spare = extras - needed.total()
    caps = [seat.due for seat in seats]
    for place in sorted(range(len(seats)), key=lambda place: len(seats[place].has) <= seats[place].due):
        rack = seats[place].rack
        if needed[rack]:
            needed[rack] -= 1
            caps[place] += 1
        elif spare:
            spare -= 1
            caps[place] += 1
    return caps


def _opened(sorts: Sorts, seats: Sequence[Seat], plan: Plan, caps: Sequence[int]) -> _Open:
    unplanned, room = Counter(sorts.of), Counter[str | None]()
    for seat, cap in zip(seats, caps, strict=True):
        room[seat.rack] += cap
    for (sort, rack), count in plan.items():
        unplanned[sort] -= count
        room[rack] -= count
    return _Open(plan, unplanned, room)


def _keep(sorts: Sorts, seat: Seat, cap: int, still_open: _Open) -> list[int]:
    kept: list[int] = []
    others: list[int] = []
    for partition in seat.has:
        sort = sorts.of[partition]
        if seat.rack is None or seat.rack not in sorts.racks[sort]:
            others.append(partition)
        elif len(kept) < cap and still_open.planned[sort, seat.rack]:
            still_open.planned[sort, seat.rack] -= 1
            kept.append(partition)
    for partition in others:
        sort = sorts.of[partition]
        if len(kept) < cap and still_open.unplanned[sort] and still_open.room[seat.rack]:
            still_open.unplanned[sort] -= 1
            still_open.room[seat.rack] -= 1
            kept.append(partition)
    return kept


def _fill(sorts: Sorts, seats: Sequence[Seat], caps: Sequence[int], planned: Plan, shares: list[list[int]]) -> None:
    taken = set(chain.from_iterable(shares))
    free: dict[int, deque[int]] = {}
    for partition, sort in enumerate(sorts.of):
        if partition not in taken:
            free.setdefault(sort, deque()).append(partition)
    arriving: dict[str | None, deque[int]] = {}
    for (sort, rack), count in sorted((+planned).items()):
        arriving.setdefault(rack, deque()).extend(free[sort].popleft() for _ in range(count))
    rest = deque(sorted(chain.from_iterable(free.values())))
    for waiting in (arriving, dict.fromkeys((seat.rack for seat in seats), rest)):
        for seat, cap, share in zip(seats, caps, shares, strict=True):
            here = waiting.get(seat.rack)
            while here and len(share) < cap:
                share.append(here.popleft())
    assert not rest, "as many are due as there are"
