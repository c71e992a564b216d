"""Warms the broker up by a topic: the plain socket reads it until its rates are alike, in a process of its own.

Run as ``python -m benchmarks.consuming.warm TASK``, a ``Task`` as JSON; prints ``Warmed`` as JSON. A Java that has not
served fetches for a while is slow for the first of them, and whoever is measured first would pay for it. The plain
socket is no client, so none of those that are compared has the broker made ready for its own way of asking.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from benchmarks.consuming.gauge import Gauge
from benchmarks.consuming.readers.plain_socket import receive
from benchmarks.consuming.task import Task
from benchmarks.processes import answer, told

__all__ = ["Warmed", "is_warm"]

#: Warm is a broker that a topic was read from so often, the last two times at rates so close to each other.
FEWEST, MOST, CLOSE = 3, 6, 0.1


@frozen
class Warmed:
    """Records a second of each reading, one after the other."""

    rates: Sequence[float]


def is_warm(rates: Sequence[float]) -> bool:
    """Whether it has been read often enough."""
    if len(rates) < FEWEST:
        return False
    slower, faster = sorted(rates[-2:])
    return len(rates) >= MOST or faster - slower <= CLOSE * faster


def warm_up(task: Task) -> Warmed:
    rates: list[float] = []
    while not is_warm(rates):
        rates.append(receive(task, Gauge()).per_second)
    return Warmed(rates)


if __name__ == "__main__":
    answer(warm_up(told(Task)))
