"""Chains of moves, for members that share no topic: the giver's partition goes to somebody in between, and one of
another topic from there to somebody who could not take the first. Only the loads at both ends change.

1. The most loaded give first, each to the nearest that has two less: a short chain moves less than a long one.
2. A kind can pass on a topic if any of its members has some of it. It is that member who takes what comes instead.
3. Where no chain leads to anybody with two less, all kinds that were reached are *settled*: what they have can't get
   out to others, and whoever gives later has no more than they, so chains leave them alone from then on.

In the end there is no chain that would lessen a difference, and so there is no assignment that is more even.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise

from kafka_nextgen.assignors.least_loaded import LeastLoaded
from kafka_nextgen.assignors.moving import Holdings
from kafka_nextgen.assignors.passing import Passing
from kafka_nextgen.assignors.ways import Way, Ways

__all__ = ["move_along_chains"]


def move_along_chains(kinds_of: Sequence[Sequence[int]], loads: LeastLoaded, holdings: Holdings) -> None:
    """Move until no chain is left that would help; ``kinds_of`` are the kinds in front of each topic."""
    most, least = max(loads.loads), min(loads.loads)
    if most - least <= 1:  # mostly so, and to see who could pass on what takes a look at everything
        return
    chains = _Chains(kinds_of, loads, holdings)
    for load in range(most, least + 1, -1):
        chains.lower(load)


class _Chains:
    """Members by each load that they have or had, and the kinds that are settled."""

    def __init__(self, kinds_of: Sequence[Sequence[int]], loads: LeastLoaded, holdings: Holdings) -> None:
        self._kinds_of, self._loads = kinds_of, loads
        self._passing = Passing(holdings, loads.kind_of)
        self._settled: set[int] = set()
        self._levels: dict[int, list[int]] = {}
        for place, load in enumerate(loads.loads):
            self._levels.setdefault(load, []).append(place)

    def lower(self, load: int) -> None:
        """Let everybody with this load give, until no chain helps."""
        ways = Ways(self._kinds_of, self._passing, self._loads, self._settled, load - 2)
        waiting = sorted(set(self._levels.pop(load, ())))
        while givers := [place for place in waiting if self._may_give(place, load)]:
            kinds = dict.fromkeys(map(self._loads.kind_of.__getitem__, givers))
            if not ways.measure(chain.from_iterable(map(self._passing.topics, kinds))):
                self._settled.update(ways.kinds)
                return
            self._give(ways, givers)

    def _give(self, ways: Ways, givers: Sequence[int]) -> None:
        topics_of = {giver: self._passing.topics_of(giver) for giver in givers}
        ways.measure(chain.from_iterable(topics_of.values()))
        for giver, topics in topics_of.items():
            if way := ways.find(topics):
                self._move_along(way, giver)

    def _may_give(self, place: int, load: int) -> bool:
        return self._loads.loads[place] == load and self._loads.kind_of[place] not in self._settled

    def _move_along(self, way: Way, giver: int) -> None:
        at = giver
        for (topic, kind), (passed_on, _) in pairwise(way):
            between = self._passing.who(kind, passed_on)
            assert between is not None, "ways are open"
            self._passing.move(topic, at, between)
            at = between
        topic, kind = way[-1]
        taker = self._loads.first(kind)
        self._passing.move(topic, at, taker)
        for place, by in ((giver, -1), (taker, +1)):
            self._loads.change(place, by)
            self._levels.setdefault(self._loads.loads[place], []).append(place)
