"""What a coordinator and a client can do, as rows of numbers: the machines work it out when the two first meet, and
from then on it is looked up, for many at once.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable

import numpy as np

from tests.simulation.exploring.moves import Fault
from tests.simulation.exploring.visited import Interned, Numbers

__all__ = ["NO_FAULT", "Row", "Rows", "number_of"]

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
        """The numbers of these pairs."""
        pairs = self._pairs.numbers(coordinators << _PAIR | clients)
        for pair in self._pairs.values[len(self._ends) - 1 :].tolist():
            for row in self._work_out(pair >> _PAIR, pair & (1 << _PAIR) - 1):
                for column, value in zip(self._columns, row, strict=True):
                    column.append(value)
            self._ends.append(len(self._columns[0]))
        return pairs

    def counts(self, pairs: Numbers) -> Numbers:
        """How many rows each has."""
        ends = np.frombuffer(self._ends, np.int64)
        return ends[pairs + 1] - ends[pairs]

    def of(self, pairs: Numbers) -> tuple[Numbers, Numbers]:
        """All rows of these pairs: the place of the pair among them, and the place of the row among its own."""
        counts = self.counts(pairs)
        places = np.repeat(np.arange(len(pairs)), counts)
        return places, np.arange(len(places)) - np.repeat(np.cumsum(counts) - counts, counts)

    def columns(self, pairs: Numbers, rows: Numbers) -> tuple[Numbers, ...]:
        """What is in these rows of these pairs."""
        at = np.frombuffer(self._ends, np.int64)[pairs] + rows
        return tuple(np.frombuffer(column, np.int64)[at] if column else at for column in self._columns)


def number_of(fault: Fault) -> int:
    """The number of a fault."""
    return _NUMBERS[fault]
