"""The search: breadth first over whole groups, level by level."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np
from attrs import define, evolve, field, frozen

from kafka_nextgen.membership.settings import MemberSettings
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings
from tests.verification.scenario_language.world import GROUP
from tests.verification.simulation.exploring.coordinators import Coordinators
from tests.verification.simulation.exploring.crowd import Crowd
from tests.verification.simulation.exploring.groups import Block, Groups, Taken
from tests.verification.simulation.exploring.moves import Bounds, Fault, Move
from tests.verification.simulation.exploring.numbers import NO_FAULT, NO_TAIL, Numbers, Visited
from tests.verification.simulation.exploring.pairs import Judge, Pairs
from tests.verification.simulation.exploring.shared_faults import TOPIC, SharedFaults, first_topics

#: So many groups are gone on from at once.
_AT_ONCE = 1 << 18


@frozen
class Finding:
    """What does not hold, and the shortest way there."""

    broken: tuple[str, ...]
    moves: tuple[Move, ...]


@define
class Result:
    states: int = 0
    steps: int = 0
    depth: int = 0
    settled: int = 0  # states in which nothing is left to do
    overtaken: int = 0  # pairs with a member that a late request spoke for, which no coordinator can tell
    coordinators: int = 0
    clients: int = 0
    is_complete: bool = False  # nothing was left to visit
    faults: Counter[Fault] = field(factory=Counter)  # steps that took one
    finding: Finding | None = None


class Explorer:
    """Visits every state within bounds; ``tell`` hears of each level that is done."""

    def __init__(self, bounds: Bounds, tell: Callable[[Result], None] = lambda _: None) -> None:
        self.bounds = bounds
        self.coordinators = Coordinators(CoordinatorSettings(group_consumer_assignment_interval_ms=0))
        self.crowd = Crowd(MemberSettings(GROUP, auto_commit=bounds.auto_commit), frozenset({TOPIC}))
        self.visited = Visited()
        self._judge = Judge(self.coordinators, self.crowd)
        self.groups = Groups(bounds, Pairs(self.coordinators, self.crowd), self._judge)
        self._shared = SharedFaults(self.groups)
        self._tell = tell

    def run(self) -> Result:
        """Visit everything; stop at the first thing that does not hold."""
        result, level = Result(), self.visited.add_level([self._first()])
        while len(level) and not self._is_cut_short():
            fresh: list[Numbers] = []
            for states in _chunks(level):
                result.finding = self._visit(states, fresh, result)
                if result.finding is not None:
                    return self._counted(result)
            level = self.visited.add_level(fresh, self.bounds.most_states)
            result.depth += bool(len(level))
            result.finding = self._misled()
            if result.finding is not None:
                return self._counted(result)
            self._tell(self._counted(result))
        result.is_complete = not len(level)
        return self._counted(result)

    def _is_cut_short(self) -> bool:
        return self.visited.count >= (self.bounds.most_states or float("inf"))

    def _visit(self, states: Numbers, fresh: list[Numbers], result: Result) -> Finding | None:
        """Go on from states to those that were not visited yet."""
        groups = self.groups.taken(states)
        goes_on = np.zeros(len(states), np.bool_)
        for block in self._onward(groups):
            result.steps += len(block.places)
            _, *counts = np.bincount(block.faults, minlength=1 + len(Fault)).tolist()
            result.faults += Counter(dict(zip(Fault, counts, strict=True)))
            goes_on[block.places[block.faults == NO_FAULT]] = True
            fresh.append(self.visited.new_among(block.after))
        rest = np.flatnonzero(~goes_on)
        return self._broken_among(states, groups) or self._unsettled_among(states[rest], groups.at(rest), result)

    def _broken_among(self, states: Numbers, groups: Taken) -> Finding | None:
        for pair in sorted(self.groups.broken):
            for client in groups.clients:
                places = np.flatnonzero((groups.coordinators == pair[0]) & (client == pair[1]))
                if len(places):
                    return Finding(self._judge.broken(*pair), self.way_to(int(states[places[0]])))
        return None

    def _misled(self) -> Finding | None:
        """Look for a state whose coordinator was fine when it was met first."""
        misled = sorted(self.coordinators.misled)
        for level in self.visited.levels if misled else ():
            coordinators = self.groups.taken(level).coordinators
            places = np.flatnonzero(np.isin(coordinators, misled))
            if len(places):
                broken = self.coordinators.standings[coordinators[places[0]]].broken
                return Finding(broken, self.way_to(int(level[places[0]])))
        return None

    def _unsettled_among(self, states: Numbers, groups: Taken, result: Result) -> Finding | None:
        result.settled += len(states)
        for at, state in enumerate(states.tolist()):
            clients = [int(client[at]) for client in groups.clients]
            if broken := self._judge.unsettled(int(groups.coordinators[at]), clients):
                return Finding(broken, self.way_to(state))
        return None

    def _counted(self, result: Result) -> Result:
        result.states, result.overtaken = self.visited.count, self.groups.overtaken
        result.coordinators, result.clients = len(self.coordinators.standings), len(self.crowd.lives)
        return result

    def _first(self) -> Numbers:
        coordinator = self.coordinators.first(first_topics(self.bounds.partitions))
        clients = (self.crowd.first(name) for name in self.bounds.names)
        one = [np.array([part]) for part in (coordinator, NO_TAIL, self.bounds.faults, *clients)]
        return self.groups.packed(Taken(one[0], one[1], one[2], tuple(one[3:])))

    def _onward(self, groups: Taken) -> Iterator[Block]:
        for who in range(self.bounds.members):
            yield self.groups.steps(groups, who)
        harmed = np.flatnonzero(groups.left)
        if len(harmed):
            for block in self._faults(groups.at(harmed)):
                yield evolve(block, places=harmed[block.places])

    def _faults(self, harmed: Taken) -> Iterator[Block]:
        for who in range(self.bounds.members):
            yield self.groups.faults(harmed, who)
        yield from self._shared.of(harmed)

    def way_to(self, state: int) -> tuple[Move, ...]:
        """The moves that lead to a state that was visited, on a shortest way."""
        depth = next(depth for depth, level in enumerate(self.visited.levels) if state in level)
        way: list[tuple[Move, ...]] = []
        for level in reversed(self.visited.levels[:depth]):
            state, moves = self._before(state, level)
            way.append(moves)
        return tuple(move for moves in reversed(way) for move in moves)

    def _before(self, state: int, level: Numbers) -> tuple[int, tuple[Move, ...]]:
        for states in _chunks(level):
            for block in self._onward(self.groups.taken(states)):
                steps = np.flatnonzero(block.after == state)
                if len(steps):
                    first = int(steps[0])
                    return int(states[block.places[first]]), block.moves(first)
        raise AssertionError("every state but the first has one before it")


def _chunks(level: Numbers) -> Iterator[Numbers]:
    for at in range(0, len(level), _AT_ONCE):
        yield level[at : at + _AT_ONCE]
