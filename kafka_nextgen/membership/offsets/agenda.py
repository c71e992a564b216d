"""Asks by a moment: when to look at a commit again if nothing else happens to it, and which has waited longest."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

__all__ = ["Agenda"]


class Agenda:
    """Moments by ask. What is set takes the place of what was set last."""

    def __init__(self) -> None:
        self._moments: dict[int, float] = {}
        self._heap: list[tuple[float, int]] = []  # also what does not count any more

    def set(self, ask: int, moment: float | None) -> None:
        """Look at this at ``moment``; never, if that is None."""
        if moment is None:
            self._moments.pop(ask, None)
        elif self._moments.get(ask) != moment:
            self._moments[ask] = moment
            heappush(self._heap, (moment, ask))
        if len(self._heap) > 2 * len(self._moments) + 100:
            self._heap = [(moment, ask) for ask, moment in self._moments.items()]
            heapify(self._heap)

    def first(self) -> float | None:
        """The earliest moment; None if there is none."""
        while self._heap and self._moments.get(self._heap[0][1]) != self._heap[0][0]:
            heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def due(self, now: float) -> frozenset[int]:
        """What is to be looked at by now, which is forgotten with that."""
        asks = set()
        while (moment := self.first()) is not None and moment <= now:
            asks.add(self.pop())
        return frozenset(asks)

    def pop(self) -> int:
        """The ask whose moment is ``first``, which is forgotten with that."""
        ask = self._heap[0][1]
        del self._moments[ask]
        return ask
