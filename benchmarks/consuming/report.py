"""The readings as tables and as plots."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import median

from benchmarks.consuming.gauge import Reading
from benchmarks.consuming.run import Measured
from benchmarks.consuming.targets import TARGETS, judged
from benchmarks.consuming.variants import BASELINE, Variant
from benchmarks.consuming.warm import Warmed
from benchmarks.page import per_second, spread, table
from benchmarks.plots import Bar

__all__ = ["about_the_topic", "bars", "readings_table", "targets_table"]

_NAMES = ("reading", "records/s", "ratio", "CPU s per million", "ratio", "peak, MB")


def about_the_topic(measured: Measured) -> str:
    """How it is filled, in a sentence."""
    filled = measured.filled
    return (
        f"{filled.records:,} records with values of {filled.value_bytes // filled.records} bytes, {measured.layout}: "
        f"{filled.records_per_batch:,.0f} records in a batch, {filled.wire_bytes / filled.records:.0f} bytes of a "
        f"record on the wire. Before the first round the plain socket read it {_told(measured.warmed)} a second."
    )


def _told(warmed: Warmed) -> str:
    rates = ", ".join(f"{rate / 1e6:.3g}" for rate in warmed.rates)
    return f"{len(warmed.rates)} times, at {rates} million records"


def readings_table(measured: Measured) -> str:
    """A row for each reading; ratios are to the baseline, if that was measured."""
    baseline = measured.readings.get(BASELINE, ())
    rows = [_row(variant, readings, baseline) for variant, readings in measured.readings.items()]
    return table(_NAMES, rows)


def _row(variant: Variant, readings: Sequence[Reading], baseline: Sequence[Reading]) -> Sequence[str]:
    return (
        f"{variant.kind}: {variant.name}" + ("  (baseline)" if variant is BASELINE else ""),
        per_second([one.per_second for one in readings]),
        _ratio(readings, baseline, lambda one: one.per_second),
        spread([one.cpu_s_per_million for one in readings]),
        _ratio(readings, baseline, lambda one: one.cpu_s_per_million),
        spread([one.peak_mb for one in readings]),
    )


def _ratio(readings: Sequence[Reading], baseline: Sequence[Reading], figure: Callable[[Reading], float]) -> str:
    if not baseline:
        return ""
    return f"{median(map(figure, readings)) / median(map(figure, baseline)):.2g}"


def targets_table(measured: Sequence[Measured]) -> str:
    """A row for each target, a column for each topic; what is missed is in bold."""
    reached = [dict(judged(one)) for one in measured]
    rows = [
        (target.what, target.told, *(target.told_of(one[target]) if target in one else "" for one in reached))
        for target in TARGETS
    ]
    return table(("ratio", "target", *(str(one.layout) for one in measured)), rows)


def bars(measured: Measured, figure: Callable[[Reading], float], kinds: Iterable[str]) -> list[Bar]:
    """A bar for each reading of these kinds."""
    wanted = tuple(kinds)
    return [
        Bar(variant.name, [figure(one) for one in readings], variant.client == "kafka_nextgen")
        for variant, readings in measured.readings.items()
        if variant.kind in wanted
    ]
