"""Who gets the free partitions of a topic: each in turn goes to the least loaded subscriber, of equals to the first.

Members of a kind stand in *levels* by load, and a round serves a whole level: its members, of all kinds in front of the
topic, get one partition each in their order and stand one level higher. So it costs what is given, and a little for
each kind, but nothing for those who wait behind.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import chain

from kafka_nextgen.assignors.subscriptions import Kind

__all__ = ["Filling"]


class Filling:
    """Keeps ``loads``, by place, and the levels of all kinds in step."""

    def __init__(self, kinds: Sequence[Kind], loads: list[int]) -> None:
        self._loads = loads
        self._levels = [_by_load(kind, loads) for kind in kinds]
        self._lowest = [min(levels) for levels in self._levels]

    def take(self, kinds: Sequence[int], count: int) -> list[int]:
        """Give ``count`` partitions to members of these kinds; return the places, in order."""
        front: dict[int, list[int]] = {}
        for kind in kinds:
            front.setdefault(self._lowest[kind], []).append(kind)
        taken: list[int] = []
        while len(taken) < count:
            level = min(front)
            serving = front.pop(level)
            taken += self._serve(level, serving, count - len(taken))
            for kind in serving:
                front.setdefault(self._lowest[kind], []).append(kind)
        for place in taken:
            self._loads[place] += 1
        return taken

    def _serve(self, level: int, kinds: Sequence[int], count: int) -> list[int]:
        """Let the first ``count`` of a level step up, or all if there are fewer."""
        waiting = [self._levels[kind][level][:count] for kind in kinds]
        served = sorted(chain.from_iterable(waiting))[:count]
        for kind, places in zip(kinds, waiting, strict=True):
            if places[0] <= served[-1]:
                self._step_up(kind, level, bisect_right(places, served[-1]))
        return served

    def _step_up(self, kind: int, level: int, count: int) -> None:
        levels = self._levels[kind]
        here, above = levels[level], levels.setdefault(level + 1, [])
        above += here[:count]
        above.sort()
        del here[:count]
        if not here:
            del levels[level]
            self._lowest[kind] = level + 1


def _by_load(kind: Kind, loads: Sequence[int]) -> dict[int, list[int]]:
    levels: dict[int, list[int]] = {}
    for place in kind.places:
        levels.setdefault(loads[place], []).append(place)
    return levels
