"""Numbers of eight bytes, many at a time: those that were met, and names for large ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["Interned", "Numbers", "Visited", "distinct", "mapped"]

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
        """The small numbers of these."""
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
