"""A priority queue of asks by time: which commit to check next, or which has waited longest."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

__all__ = ["Agenda"]


class Agenda:
    """One time for each ask. Setting it again replaces the earlier time."""

    def __init__(self) -> None:
        self._moments: dict[int, float] = {}
        self._heap: list[tuple[float, int]] = []  # includes stale entries, skipped when popped

    def set(self, ask: int, moment: float | None) -> None:
        """Schedule ``ask`` at ``moment``; None removes it."""
        if moment is None:
            self._moments.pop(ask, None)
        elif self._moments.get(ask) != moment:
            self._moments[ask] = moment
            heappush(self._heap, (moment, ask))
        if len(self._heap) > 2 * len(self._moments) + 100:
            self._heap = [(moment, ask) for ask, moment in self._moments.items()]
            heapify(self._heap)

    def first(self) -> float | None:
        """The earliest time; None if nothing is scheduled."""
        while self._heap and self._moments.get(self._heap[0][1]) != self._heap[0][0]:
            heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def due(self, now: float) -> frozenset[int]:
        """Remove and return the asks that are due at ``now``."""
        asks = set()
        while (moment := self.first()) is not None and moment <= now:
            asks.add(self.pop())
        return frozenset(asks)

    def pop(self) -> int:
        """Remove and return the earliest ask. Call ``first`` before: it drops stale entries."""
        ask = self._heap[0][1]
        del self._moments[ask]
        return ask
