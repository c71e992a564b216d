"""What the clients' readings must show, as ratios of medians in one run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import median

from attrs import frozen

from benchmarks.consuming.gauge import Reading
from benchmarks.consuming.run import Measured
from benchmarks.consuming.variants import BASELINE, Variant

__all__ = ["TARGETS", "Target", "judged"]

Figure = Callable[[Reading], float]


def _rate(reading: Reading) -> float:
    return reading.per_second


def _rate_from_start(reading: Reading) -> float:
    return reading.from_start


def _cpu(reading: Reading) -> float:
    return reading.cpu_s_per_million


@frozen
class Target:
    """``ours`` (kind and reader) against ``theirs``: at least, or with ``at_most``, so many times their figure."""

    what: str
    ours: tuple[str, str]
    theirs: tuple[str, str]
    figure: Figure
    bound: float
    at_most: bool = False

    def ratio(self, measured: Measured) -> float | None:
        """Ours by theirs; None if one of them was not measured."""
        sides = [_figures(measured, which, self.figure) for which in (self.ours, self.theirs)]
        return median(sides[0]) / median(sides[1]) if all(sides) else None

    def is_met(self, ratio: float) -> bool:
        return ratio <= self.bound if self.at_most else ratio >= self.bound

    @property
    def told(self) -> str:
        return f"{'at most' if self.at_most else 'at least'} {self.bound:g}"

    def told_of(self, ratio: float) -> str:
        """The ratio, in bold if it misses the target."""
        return f"{ratio:.2g}" if self.is_met(ratio) else f"**{ratio:.2g}**"


_BASELINE = (BASELINE.kind, BASELINE.reader)
_ARROW = ("columns", "ours.arrow")
_ITERATION = ("asyncio", "ours_async.iterate")
_BATCHES = ("asyncio", "ours_async.poll")

TARGETS: Sequence[Target] = (
    Target("columns, records/s, to confluent's consume(10000)", _ARROW, _BASELINE, _rate, 8),
    Target("the same since assign()", _ARROW, _BASELINE, _rate_from_start, 8),
    Target("columns, CPU, to confluent's consume(10000)", _ARROW, _BASELINE, _cpu, 0.2, at_most=True),
    Target("iteration, records/s, to confluent's consume(10000)", ("objects", "ours.iterate"), _BASELINE, _rate, 2),
    Target("the same since assign()", ("objects", "ours.iterate"), _BASELINE, _rate_from_start, 2),
    Target("asyncio iteration, to AIOConsumer.poll()", _ITERATION, ("asyncio", "confluent_async.poll"), _rate, 5),
    Target("asyncio iteration, to AIOConsumer.consume()", _ITERATION, ("asyncio", "confluent_async.consume"), _rate, 5),
    Target("asyncio batches, to AIOConsumer.consume()", _BATCHES, ("asyncio", "confluent_async.consume"), _rate, 5),
    Target("asyncio iteration, to aiokafka's", _ITERATION, ("asyncio", "with_aiokafka.iterate"), _rate, 1),
    Target("asyncio iteration, to aiokafka's getmany()", _ITERATION, ("asyncio", "with_aiokafka.getmany"), _rate, 1),
    Target(
        "pure Python, to kafka-python's poll()",
        ("pure Python", "ours.poll"),
        ("objects", "with_kafka_python.poll"),
        _rate,
        1,
    ),
)


def judged(measured: Measured) -> Iterator[tuple[Target, float]]:
    """Each target that there are readings for, with the ratio reached."""
    for target in TARGETS:
        ratio = target.ratio(measured)
        if ratio is not None:
            yield target, ratio


def _figures(measured: Measured, which: tuple[str, str], figure: Figure) -> list[float]:
    return [
        figure(one) for variant, readings in measured.readings.items() if _named(variant) == which for one in readings
    ]


def _named(variant: Variant) -> tuple[str, str]:
    return variant.kind, variant.reader
