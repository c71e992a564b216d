"""Both sides assign the same group in turns, so that whatever else the machine does hits both. What Kafka does not have
is assigned by ours alone.

Counted is the time that the assigning thread had a core, and not the time it waited for one. Python collects its
garbage in that thread; Java does so in others, which do not count.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence

from attrs import frozen

from benchmarks.assigning.groups import ASSIGNORS, KAFKAS, Result, Shape, judge, make_group
from benchmarks.assigning.kafka import KafkaAssignors
from kafka_nextgen.assignors import GroupAssignment

__all__ = ["Measured", "measure", "shapes_of_growth", "shapes_of_sizes"]


@frozen
class Measured:
    """Seconds of each round, and what came out of the last."""

    shape: Shape
    ours_s: Sequence[float]
    ours: Result
    kafkas_s: Sequence[float] = ()
    kafkas: Result | None = None


def shapes_of_sizes(sizes: Iterable[int], partitions: int, topics: int) -> Iterator[Shape]:
    """Groups of so many members, and this many partitions altogether."""
    for assignor in ASSIGNORS:
        for subscriptions in ("same", "mixed"):
            for members in sizes:
                for change in ("none", "join", "leave"):
                    yield Shape(assignor, members, topics, partitions // topics, subscriptions, change)


def shapes_of_growth(sizes: Iterable[int], topics: int) -> Iterator[Shape]:
    """New groups of so many members, with ten partitions for each, for the assignors that Kafka has."""
    for assignor in KAFKAS:
        for subscriptions in ("same", "mixed"):
            for members in sizes:
                yield Shape(assignor, members, topics, members * 10 // topics, subscriptions)


def measure(shapes: Iterable[Shape], version: str, rounds: int, warm_up_s: float) -> Iterator[Measured]:
    """Assign each group ``rounds`` times by either side, or by ours alone."""
    with KafkaAssignors(version) as kafka:
        for shape in shapes:
            yield _compare(kafka, shape, rounds, warm_up_s) if shape.assignor in KAFKAS else measure_ours(shape, rounds)


def measure_ours(shape: Shape, rounds: int) -> Measured:
    """Assign a group so often by our assignor."""
    side = _Ours(shape)
    return Measured(shape, [side.assign() for _ in range(rounds)], side.result())


def _compare(kafka: KafkaAssignors, shape: Shape, rounds: int, warm_up_s: float) -> Measured:
    kafka.make_group(shape)
    kafka.warm_up(warm_up_s)
    side = _Ours(shape)
    ours_s, kafkas_s = zip(*((side.assign(), kafka.assign()) for _ in range(rounds)), strict=True)
    return Measured(shape, ours_s, side.result(), kafkas_s, kafka.result())


class _Ours:
    """Our assignor and its group, warmed up."""

    def __init__(self, shape: Shape) -> None:
        self._shape, self._group, self._assignor = shape, make_group(shape), ASSIGNORS[shape.assignor]
        self._assignment: GroupAssignment | None = self._assignor.assign(self._group)

    def assign(self) -> float:
        """Assign it once; return the seconds that this thread ran."""
        self._assignment = None  # to let go of the last one is no part of the next
        begin = time.thread_time()
        self._assignment = self._assignor.assign(self._group)
        return time.thread_time() - begin

    def result(self) -> Result:
        assert self._assignment is not None
        return judge(self._shape, self._group, self._assignment)
