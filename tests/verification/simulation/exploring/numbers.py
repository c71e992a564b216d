"""Numbers of eight bytes, many at a time: the states that were met, names for large numbers, the steps of each pair,
and the tails of logs.

What a coordinator and a client can do is rows of numbers: the machines work them out when the two first meet, and from
then on they are looked up. A tail is what a fail-over may lose: what the last outcome wrote, while no answer that waits
for it has left. It is one number: the coordinator before it wrote last, and for each client how many of its answers
wait.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from tests.verification.simulation.exploring.moves import Fault, Kind

Numbers = npt.NDArray[np.int64]
_NONE = np.empty(0, np.int64)


class Visited:
    """Every state so far: sorted, and, for the way back, by depth."""

    def __init__(self) -> None:
        self.levels: list[Numbers] = []
        self.count = 0
        self._runs: list[Numbers] = []  # sorted and disjoint, each more than twice as long as the next

    def new_among(self, states: Numbers) -> Numbers:
        """Those that were not visited yet, sorted, each once."""
        states = distinct(states)
        for run in self._runs:
            states = states[~_places(run, states)[1]]
        return states

    def add_level(self, parts: Sequence[Numbers], most: int | None = None) -> Numbers:
        """Take in what is new at the next depth, but not more than so many in all."""
        level = distinct(np.concatenate(parts)) if parts else _NONE
        level = level if most is None else level[: most - self.count]
        self.levels.append(level)
        self.count += len(level)
        run = level
        while self._runs and len(self._runs[-1]) <= 2 * len(run):
            run = np.concatenate([self._runs.pop(), run])
            run.sort(kind="stable")  # which merges what is sorted
        self._runs.append(run)
        return level


class Interned:
    """Small numbers for large ones, counted from 0 as they are met."""

    def __init__(self) -> None:
        self.values = _NONE  # by their small number
        self._sorted = _NONE
        self._numbers = _NONE

    def numbers(self, values: Numbers) -> Numbers:
        places, are_there = _places(self._sorted, values)
        if not are_there.all():
            self._add(distinct(values[~are_there]))
            places = np.searchsorted(self._sorted, values)
        return self._numbers[places]

    def _add(self, values: Numbers) -> None:
        places = np.searchsorted(self._sorted, values)
        self._numbers = np.insert(self._numbers, places, np.arange(len(values)) + len(self.values))
        self._sorted = np.insert(self._sorted, places, values)
        self.values = np.concatenate([self.values, values])


def distinct(values: Numbers) -> Numbers:
    """Each value once, sorted. ``np.unique`` hashes them, which takes three times as long."""
    values = np.sort(values)
    is_first = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=is_first[1:])
    return values[is_first]


def mapped(values: Numbers, function: Callable[[int], int]) -> Numbers:
    """What a function comes to for each; it is asked once for those that are equal."""
    each = distinct(values)
    after = np.fromiter((function(value) for value in each.tolist()), np.int64, len(each))
    return after[np.searchsorted(each, values)]


def _places(run: Numbers, values: Numbers) -> tuple[Numbers, npt.NDArray[np.bool_]]:
    """Where in a sorted run each is, and whether it is there."""
    if not len(run):
        return np.zeros(len(values), np.int64), np.zeros(len(values), np.bool_)
    places = np.searchsorted(run, values)
    places[places == len(run)] = 0
    return places, run[places] == values


#: The number of a step that takes no fault. The others are in the order of ``Fault``.
NO_FAULT = 0
_NUMBERS = {fault: number for number, fault in enumerate(Fault, start=1)}

#: The coordinator and the client after a step, its kind, and the number of the fault it takes; 0 is none.
Row = tuple[int, int, int, int]

_PAIR = 32  # bits of a client


class Rows:
    """The rows of each pair that was met, one after another."""

    def __init__(self, work_out: Callable[[int, int], Iterable[Row]]) -> None:
        self._work_out = work_out
        self._pairs = Interned()
        self._ends = array("q", [0])
        self._columns = tuple(array("q") for _ in range(4))

    def pairs(self, coordinators: Numbers, clients: Numbers) -> Numbers:
        pairs = self._pairs.numbers(coordinators << _PAIR | clients)
        for pair in self._pairs.values[len(self._ends) - 1 :].tolist():
            for row in self._work_out(pair >> _PAIR, pair & (1 << _PAIR) - 1):
                for column, value in zip(self._columns, row, strict=True):
                    column.append(value)
            self._ends.append(len(self._columns[0]))
        return pairs

    def counts(self, pairs: Numbers) -> Numbers:
        ends = np.frombuffer(self._ends, np.int64)
        return ends[pairs + 1] - ends[pairs]

    def of(self, pairs: Numbers) -> tuple[Numbers, Numbers]:
        """All rows of these pairs: the place of the pair among them, and the place of the row among its own."""
        counts = self.counts(pairs)
        places = np.repeat(np.arange(len(pairs)), counts)
        return places, np.arange(len(places)) - np.repeat(np.cumsum(counts) - counts, counts)

    def columns(self, pairs: Numbers, rows: Numbers) -> tuple[Numbers, ...]:
        at = np.frombuffer(self._ends, np.int64)[pairs] + rows
        return tuple(np.frombuffer(column, np.int64)[at] if column else at for column in self._columns)


def number_of(fault: Fault) -> int:
    return _NUMBERS[fault]


#: All that was written is stored safely.
NO_TAIL = 0

_COUNT = 3  # bits of how many wait: a client has few answers under way

_T = TypeVar("_T", int, Numbers)


def back_to(tail: int, members: int) -> int:
    """The coordinator that a lost tail leads back to."""
    return (tail >> _COUNT * members) - 1


def waiting(tail: _T, who: int) -> _T:
    return tail >> _COUNT * who & (1 << _COUNT) - 1


def tails_after(tails: Numbers, kinds: Numbers, before: Numbers, who: int, answers: Numbers, members: int) -> Numbers:
    """The tails after steps of a client that had so many answers under way, from coordinators ``before``."""
    place = _COUNT * who
    waits = waiting(tails, who)
    wrote, unasked = kinds == Kind.WROTE, kinds == Kind.WROTE_UNASKED
    after = np.where(wrote | unasked, before + 1 << _COUNT * members | wrote.astype(np.int64) << place, tails)
    is_safe = (kinds == Kind.HEARD) & (waits >= answers)
    after[is_safe] = NO_TAIL
    there = tails != NO_TAIL
    after[there & (kinds == Kind.SERVED)] += 1 << place
    crashed = there & (kinds == Kind.CRASHED)
    after[crashed] -= waits[crashed] << place
    return after
