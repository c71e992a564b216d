"""The readings of typed values as tables."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from benchmarks.consuming.gauge import Reading
from benchmarks.decoding.clients import IN_MEMORY, OURS
from benchmarks.decoding.run import Measured
from benchmarks.decoding.ways import LIMIT_TARGET, TARGETS, Way
from benchmarks.page import per_second, spread, table

__all__ = ["SPELT", "about_the_values", "readings_table", "to_fastest_usual", "to_limit", "verdicts_table"]

#: The formats by their names in the code, as pages spell them.
SPELT = {"avro": "Avro", "json": "JSON", "protobuf": "Protobuf"}

_NAMES = ("reading", "records/s", "ours by it", "CPU s per million", "peak, MB")


def verdicts_table(measured: Sequence[Measured]) -> str:
    """A row for each format and shape; what misses its target is in bold."""
    rows = []
    for one in measured:
        name, usual = to_fastest_usual(one)
        limit, target = to_limit(one), TARGETS[one.format]
        rows.append(
            (
                f"{SPELT[one.format]}, {one.shape}",
                name,
                _told(usual, usual >= target),
                f"at least {target:g}",
                _told(limit, limit <= LIMIT_TARGET),
                f"at most {LIMIT_TARGET:g}",
            )
        )
    return table(("values", "fastest usual way", "ours by it", "target", "limit by ours", "target"), rows)


def _told(ratio: float, is_met: bool) -> str:
    return f"{ratio:.3g}" if is_met else f"**{ratio:.3g}**"


def to_fastest_usual(measured: Measured) -> tuple[str, float]:
    """The name of the fastest of the usual ways, and ours by its rate."""
    usual = {way.name: _rate(readings) for way, readings in measured.readings.items() if way.is_usual}
    name = max(usual, key=lambda each: usual[each])
    return name, _rate_of(measured, OURS) / usual[name]


def to_limit(measured: Measured) -> float:
    """The rate of our decoder on bytes in memory, by ours through Kafka."""
    return _rate_of(measured, IN_MEMORY) / _rate_of(measured, OURS)


def _rate_of(measured: Measured, client: str) -> float:
    return next(_rate(readings) for way, readings in measured.readings.items() if way.client == client)


def _rate(readings: Sequence[Reading]) -> float:
    return median(one.per_second for one in readings)


def about_the_values(measured: Measured) -> str:
    """What was written, in a sentence."""
    filled = measured.filled
    what = f"{SPELT[measured.format]}, {measured.shape}"
    return f"{what}: {filled.records:,} records, values of {filled.bytes_each:.0f} bytes."


def readings_table(measured: Measured) -> str:
    """A row for each way."""
    ours = _rate_of(measured, OURS)
    return table(_NAMES, [_row(way, readings, ours) for way, readings in measured.readings.items()])


def _row(way: Way, readings: Sequence[Reading], ours: float) -> Sequence[str]:
    return (
        way.name,
        per_second([one.per_second for one in readings]),
        "" if way.client == OURS else f"{ours / _rate(readings):.3g}",
        spread([one.cpu_s_per_million for one in readings]),
        spread([one.peak_mb for one in readings]),
    )
