"""Who has the least, among the subscribers of a topic, while partitions move; of equals, the first in order.

There is a heap for each kind of members, and to ask about a topic is to compare the tops of the few kinds that
subscribe to it. An entry is ``load * members + place``, one integer that sorts as the two would. A load that changes
is pushed anew; the entry it makes wrong is dropped when it comes to the top.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush, heapreplace

from kafka_nextgen.assignors.subscriptions import Kind

__all__ = ["Front", "LeastLoaded"]


class LeastLoaded:
    """Keeps ``loads``, by place, and the heaps in step. ``kind_of`` is by place as well."""

    def __init__(self, kinds: Sequence[Kind], loads: list[int]) -> None:
        self.loads = loads
        self._size = len(loads)
        self._heaps = [[loads[place] * self._size + place for place in kind.places] for kind in kinds]
        self.kind_of = [0] * len(loads)
        for index, kind in enumerate(kinds):
            heapify(self._heaps[index])
            for place in kind.places:
                self.kind_of[place] = index

    def change(self, place: int, by: int) -> tuple[int, int]:
        """Let somebody have more or less; return the new entry and the kind it belongs to."""
        self.loads[place] += by
        entry, kind = self.loads[place] * self._size + place, self.kind_of[place]
        heappush(self._heaps[kind], entry)
        return entry, kind

    def top(self, kind: int) -> int:
        """The first entry of a kind that is right."""
        heap = self._heaps[kind]
        while True:
            load, place = divmod(heap[0], self._size)
            if self.loads[place] == load:
                return heap[0]
            heappop(heap)

    def least(self, kinds: Sequence[int]) -> int:
        """The least load of these kinds."""
        return min(map(self.top, kinds)) // self._size

    def first(self, kind: int) -> int:
        """The place of the least loaded of a kind."""
        return self.place_of(self.top(kind))

    def place_of(self, entry: int) -> int:
        """Whose entry it is."""
        return entry % self._size


class Front:
    """The least loaded of some kinds while partitions move among them."""

    def __init__(self, loads: LeastLoaded, kinds: Sequence[int]) -> None:
        self._all = loads
        self._tops = [(loads.top(kind), kind) for kind in kinds]
        heapify(self._tops)

    def first(self) -> int:
        """The place of the least loaded."""
        while True:
            entry, kind = self._tops[0]
            if (now := self._all.top(kind)) == entry:
                return self._all.place_of(entry)
            heapreplace(self._tops, (now, kind))

    def move(self, giver: int, taker: int) -> None:
        """Let a partition go from one to another."""
        self._all.change(taker, +1)
        heappush(self._tops, self._all.change(giver, -1))
