"""Both sides assign the same group in turns, so that whatever else the machine does hits both.

Counted is the time that the assigning thread had a core, and not the time it waited for one. Python collects its
garbage in that thread; Java does so in others, which do not count.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence

from attrs import frozen

from benchmarks.assigning.groups import ASSIGNORS, Result, Shape, judge, make_group
from benchmarks.assigning.kafka import KafkaAssignors
from kafka_nextgen.assignors import GroupAssignment

__all__ = ["Measured", "measure", "shapes_of_growth", "shapes_of_sizes"]


@frozen
class Measured:
    """Seconds of each round, and what came out of the last."""

    shape: Shape
    ours_s: Sequence[float]
    kafkas_s: Sequence[float]
    ours: Result
    kafkas: Result


def shapes_of_sizes(sizes: Iterable[int], partitions: int, topics: int) -> Iterator[Shape]:
    """Groups of so many members, and this many partitions altogether."""
    for assignor in ASSIGNORS:
        for subscriptions in ("same", "mixed"):
            for members in sizes:
                for change in ("none", "join", "leave"):
                    yield Shape(assignor, members, topics, partitions // topics, subscriptions, change)


def shapes_of_growth(sizes: Iterable[int], topics: int) -> Iterator[Shape]:
    """New groups of so many members, with ten partitions for each."""
    for assignor in ASSIGNORS:
        for subscriptions in ("same", "mixed"):
            for members in sizes:
                yield Shape(assignor, members, topics, members * 10 // topics, subscriptions)


def measure(shapes: Iterable[Shape], version: str, rounds: int, warm_up_s: float) -> Iterator[Measured]:
    """Assign each group ``rounds`` times by either side."""
    with KafkaAssignors(version) as kafka:
        for shape in shapes:
            group, assignor = make_group(shape), ASSIGNORS[shape.assignor]
            kafka.make_group(shape)
            kafka.warm_up(warm_up_s)
            assignment: GroupAssignment | None = assignor.assign(group)
            ours_s, kafkas_s = [], []
            for _ in range(rounds):
                assignment = None  # to let go of the last one is no part of the next
                begin = time.thread_time()
                assignment = assignor.assign(group)
                ours_s.append(time.thread_time() - begin)
                kafkas_s.append(kafka.assign())
            assert assignment is not None
            yield Measured(shape, ours_s, kafkas_s, judge(group, assignment), kafka.result())
