"""The least loaded subscribers of a topic, in order of their indexes where loads are equal.

``LeastLoaded`` keeps a heap for each cohort. A query for a topic compares the tops of the few cohorts that subscribe to
it. An entry is ``load * members + member``, one integer that sorts like the pair. A changed load is pushed as a new
entry; stale entries are dropped when they reach the top.

``LoadLevels`` places many partitions of a topic in one step. Members of a cohort are grouped into levels by load, and
each round gives one partition to every member of the lowest level. The cost grows with the placed partitions and the
number of cohorts, not with the members that get none.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from heapq import heapify, heappop, heappush, heapreplace
from itertools import chain

from kafka_nextgen.assignors.subscriptions import Cohort

__all__ = ["LeastLoaded", "LeastLoadedSubscriber", "LoadLevels"]


class LeastLoaded:
    """Keeps ``loads`` and the heaps consistent. ``loads`` and ``cohort_of`` are by member."""

    def __init__(self, cohorts: Sequence[Cohort], loads: list[int]) -> None:
        self.loads = loads
        self._size = len(loads)
        self._heaps = [[loads[member] * self._size + member for member in cohort.members] for cohort in cohorts]
        self.cohort_of = [0] * len(loads)
        for index, cohort in enumerate(cohorts):
            heapify(self._heaps[index])
            for member in cohort.members:
                self.cohort_of[member] = index

    def change(self, member: int, by: int) -> tuple[int, int]:
        """Change a load; return the new entry and its cohort."""
        self.loads[member] += by
        entry, cohort = self.loads[member] * self._size + member, self.cohort_of[member]
        heappush(self._heaps[cohort], entry)
        return entry, cohort

    def top(self, cohort: int) -> int:
        """The first current entry of a cohort."""
        heap = self._heaps[cohort]
        while True:
            load, member = divmod(heap[0], self._size)
            if self.loads[member] == load:
                return heap[0]
            heappop(heap)

    def least(self, cohorts: Sequence[int]) -> int:
        """The lowest load in these cohorts."""
        return min(map(self.top, cohorts)) // self._size

    def first(self, cohort: int) -> int:
        """The least loaded member of a cohort."""
        return self.member_of(self.top(cohort))

    def member_of(self, entry: int) -> int:
        """The member of an entry."""
        return entry % self._size


class LeastLoadedSubscriber:
    """The least loaded member of some cohorts, while partitions move among them."""

    def __init__(self, loads: LeastLoaded, cohorts: Sequence[int]) -> None:
        self._all = loads
        self._tops = [(loads.top(cohort), cohort) for cohort in cohorts]
        heapify(self._tops)

    def first(self) -> int:
        """The least loaded member."""
        while True:
            entry, cohort = self._tops[0]
            if (now := self._all.top(cohort)) == entry:
                return self._all.member_of(entry)
            heapreplace(self._tops, (now, cohort))

    def fell(self, entry: int, cohort: int) -> None:
        """Record the new entry of a member whose load has fallen."""
        heappush(self._tops, (entry, cohort))

    def move(self, giver: int, taker: int) -> None:
        """Move one partition between the loads of two members."""
        self._all.change(taker, +1)
        self.fell(*self._all.change(giver, -1))


class LoadLevels:
    """Keeps ``loads``, by member, and the levels of all cohorts consistent."""

    def __init__(self, cohorts: Sequence[Cohort], loads: list[int]) -> None:
        self._loads = loads
        self._levels = [_by_load(cohort, loads) for cohort in cohorts]
        self._lowest = [min(levels) for levels in self._levels]

    def place(self, cohorts: Sequence[int], count: int) -> list[int]:
        """Place ``count`` partitions on members of these cohorts; return the members, in order."""
        cohorts_at: dict[int, list[int]] = {}
        for cohort in cohorts:
            cohorts_at.setdefault(self._lowest[cohort], []).append(cohort)
        taken: list[int] = []
        while len(taken) < count:
            level = min(cohorts_at)
            serving = cohorts_at.pop(level)
            taken += self._serve(level, serving, count - len(taken))
            for cohort in serving:
                cohorts_at.setdefault(self._lowest[cohort], []).append(cohort)
        for member in taken:
            self._loads[member] += 1
        return taken

    def _serve(self, level: int, cohorts: Sequence[int], count: int) -> list[int]:
        """Raise the first ``count`` members of a level, or all if there are fewer."""
        waiting = [self._levels[cohort][level][:count] for cohort in cohorts]
        served = sorted(chain.from_iterable(waiting))[:count]
        for cohort, members in zip(cohorts, waiting, strict=True):
            if members[0] <= served[-1]:
                self._step_up(cohort, level, bisect_right(members, served[-1]))
        return served

    def _step_up(self, cohort: int, level: int, count: int) -> None:
        levels = self._levels[cohort]
        here, above = levels[level], levels.setdefault(level + 1, [])
        above += here[:count]
        above.sort()
        del here[:count]
        if not here:
            del levels[level]
            self._lowest[cohort] = level + 1


def _by_load(cohort: Cohort, loads: Sequence[int]) -> dict[int, list[int]]:
    levels: dict[int, list[int]] = {}
    for member in cohort.members:
        levels.setdefault(loads[member], []).append(member)
    return levels
