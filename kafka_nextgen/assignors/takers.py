"""Whose load would be the least with one more partition, among those in front of its topic.

Members are of *classes*, by subscription and capacity; the classes in front of a topic are a *front*. Of the members of
one capacity in a front the least loaded is always the best, so only one of each capacity is looked at. They are in a
heap for each front and capacity, with entries as ``least_loaded`` has them: one that is out of date is replaced when it
comes to the top. That finds loads that rose; one that falls is pushed anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappush, heapreplace

from kafka_nextgen.assignors.least_loaded import LeastLoaded
from kafka_nextgen.assignors.subscriptions import Kind

__all__ = ["Takers"]

#: Entries of ``LeastLoaded``, each with its class.
Heap = list[tuple[int, int]]


class Takers:
    """Keeps ``loads``, by place, and all heaps in step; ``units`` are what weight 1 adds to the load of each member."""

    def __init__(
        self, classes: Sequence[Kind], fronts: Sequence[Sequence[int]], units: Sequence[int], loads: list[int]
    ) -> None:
        self.loads = loads
        self._units = units
        self._least = LeastLoaded(classes, loads)
        self._heaps: list[list[Heap]] = []
        self._heaps_of: list[list[Heap]] = [[] for _ in classes]
        for front in fronts:
            by_unit: dict[int, Heap] = {}
            for each in front:
                heap = by_unit.setdefault(units[classes[each].places[0]], [])
                heap.append((self._least.top(each), each))
                self._heaps_of[each].append(heap)
            self._heaps.append([by_unit[unit] for unit in sorted(by_unit)])
        for heaps in self._heaps:
            for heap in heaps:
                heapify(heap)

    def best(self, weight: int, front: int) -> tuple[int, int]:
        """The least load that there would be, and whose; of equals, the first in order."""
        places = map(self._first, self._heaps[front])
        return min((self.loads[place] + weight * self._units[place], place) for place in places)

    def change(self, place: int, weight: int) -> None:
        """Let somebody have that much more or less."""
        entry, changed = self._least.change(place, weight * self._units[place])
        if weight < 0:
            for heap in self._heaps_of[changed]:
                heappush(heap, (entry, changed))

    def _first(self, heap: Heap) -> int:
        while True:
            entry, of_class = heap[0]
            if (now := self._least.top(of_class)) == entry:
                return self._least.place_of(entry)
            heapreplace(heap, (now, of_class))
