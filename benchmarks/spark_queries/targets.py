"""What the queries must show, as ratios of medians in one run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

from attrs import frozen

from benchmarks.spark_queries.batch import Timings
from benchmarks.spark_queries.sources import BUILT_IN, OURS, READY_MADE, TUNED, Source
from benchmarks.spark_queries.streaming import Runs

__all__ = ["TARGETS", "TRIGGERS", "Target", "judged", "judged_triggers"]


@frozen
class Target:
    """How many times as fast as ``theirs`` ours has to be, at least, in a query."""

    what: str
    query: str
    theirs: Source
    bound: float

    @property
    def told(self) -> str:
        return f"at least {self.bound:.2g}"

    def told_of(self, ratio: float) -> str:
        """The ratio, in bold if it misses the target."""
        return f"{ratio:.2f}" if ratio >= self.bound else f"**{ratio:.2f}**"


#: Ready-made batches are the floor: ours may take 1.3 times as long.
_CEILING = 1 / 1.3

TARGETS: Sequence[Target] = (
    Target("count, to the built-in source", "count", BUILT_IN, 3),
    Target("aggregate, to the built-in source", "aggregate", BUILT_IN, 2.5),
    Target("count, to its best tuning", "count", TUNED, 2),
    Target("aggregate, to its best tuning", "aggregate", TUNED, 2),
    Target("count, to ready-made Arrow", "count", READY_MADE, _CEILING),
    Target("aggregate, to ready-made Arrow", "aggregate", READY_MADE, _CEILING),
)

TRIGGERS = Target("a streaming trigger, to the built-in source", "trigger", BUILT_IN, 1.5)


def judged(timings: Timings) -> Iterator[tuple[Target, float]]:
    """Each target of batch queries that there are timings for, with the ratio reached."""
    for target in TARGETS:
        ours, theirs = (timings.get((target.query, source), ()) for source in (OURS, target.theirs))
        if ours and theirs:
            yield target, median(one.query_s for one in theirs) / median(one.query_s for one in ours)


def judged_triggers(runs: Runs) -> Iterator[tuple[Target, float]]:
    """The target of streaming queries, if there are runs for it, with the ratio reached."""
    ours, theirs = ([each for run in runs.get(source, ()) for each in run.later_s] for source in (OURS, BUILT_IN))
    if ours and theirs:
        yield TRIGGERS, median(theirs) / median(ours)
