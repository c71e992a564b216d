"""The figures as tables of ratios, and as plots: of rates, of numbers of partitions, and of clients that wait."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median

from attrs import frozen

from benchmarks.delays.task import Delays
from benchmarks.idling.task import Idleness
from benchmarks.pacing.cases import BASELINE, Case, Rounds, records_of
from benchmarks.page import in_digits, ratio, spread, table
from benchmarks.plots import PLOTS, draw_curves

__all__ = ["MEASURES", "Axis", "axis_tables", "draw_axis", "idle_table", "ratio_with_spread"]

#: So many records of all rounds have to be beyond a percentile.
BEYOND = 10

#: What a table says of a percentile without them, and of the delays of a client that does not keep up.
NOTHING, BEHIND = "", "behind"

#: A client keeps up that handles at least such a share of the records that the baseline handles in the same time.
KEEPS_UP = 0.9


@frozen
class Measure:
    """A figure of a round, in its unit; ``point`` if it is the delay at one."""

    name: str
    unit: str
    of: Callable[[Delays], float]
    point: float | None = None

    def is_known(self, each: Sequence[Delays]) -> bool:
        """Whether enough records of a client are beyond the percentile."""
        return self.point is None or round(records_of(each) * (1 - self.point), 6) >= BEYOND


def _delay(name: str, point: float) -> Measure:
    return Measure(f"Delay, {name}", "ms", lambda one: one.at(point) * 1000, point)


MEASURES = (
    Measure("CPU of a record", "µs", lambda one: one.cpu_s_per_record * 1e6),
    _delay("p50", 0.5),
    _delay("p99", 0.99),
    _delay("p99.9", 0.999),
)


@frozen
class Axis:
    """In what cases differ, by which they are told."""

    name: str
    place: Callable[[Case], int]


def axis_tables(axis: Axis, measured: Mapping[Case, Rounds]) -> str:
    """A table for each measure, and one of how many records there were."""
    tables = [f"{measure.name}:\n\n{_ratios_table(axis, measure, measured)}" for measure in MEASURES]
    return "\n\n".join([*tables, f"Records:\n\n{_records_table(axis, measured)}"])


def _ratios_table(axis: Axis, measure: Measure, measured: Mapping[Case, Rounds]) -> str:
    names = next(iter(measured.values())).keys()
    rows = [
        (
            name if name != BASELINE else f"{name}, {measure.unit}",
            *(_cell(measure, rounds, name) for rounds in measured.values()),
        )
        for name in names
    ]
    return table((axis.name, *(f"{axis.place(case):,}" for case in measured)), rows)


def _cell(measure: Measure, rounds: Rounds, name: str) -> str:
    if not all(measure.is_known(rounds[each]) for each in (name, BASELINE)):
        return NOTHING
    if measure.point is not None and not _keeps_up(rounds, name):
        return BEHIND
    own, baseline = ([measure.of(one) for one in rounds[each]] for each in (name, BASELINE))
    return spread(own) if name == BASELINE else ratio_with_spread(own, baseline)


def _keeps_up(rounds: Rounds, name: str) -> bool:
    return records_of(rounds[name]) >= KEEPS_UP * records_of(rounds[BASELINE])


def ratio_with_spread(own: Sequence[float], baseline: Sequence[float]) -> str:
    """The ratio of the medians, and the least and the most of those of the rounds."""
    each = [one / other for one, other in zip(own, baseline, strict=True)]
    mid, low, high = (in_digits(value, 2) for value in (ratio(own, baseline), min(each), max(each)))
    return mid if low == high else f"{mid} ({low}..{high})"


def _records_table(axis: Axis, measured: Mapping[Case, Rounds]) -> str:
    rows = (
        ("seconds of a round", *(f"{case.seconds:g}" for case in measured)),
        ("records in all rounds", *(f"{records_of(rounds[BASELINE]):,}" for rounds in measured.values())),
    )
    return table((axis.name, *(f"{axis.place(case):,}" for case in measured)), rows)


def draw_axis(file: str, axis: Axis, measured: Mapping[Case, Rounds], folder: Path = PLOTS) -> Path:
    """A panel for each measure, a line for each client."""
    names = next(iter(measured.values())).keys()
    panels = {
        f"{measure.name}, {measure.unit}": {
            name: [
                (axis.place(case), median(measure.of(one) for one in rounds[name]))
                for case, rounds in measured.items()
                if measure.is_known(rounds[name])
            ]
            for name in names
        }
        for measure in MEASURES
    }
    drawn = {title: lines for title, lines in panels.items() if any(lines.values())}
    return draw_curves(file, drawn, axis.name, folder)


def idle_table(idle: Mapping[str, Sequence[Idleness]], baseline: str) -> str:
    """The processor time of a second of waiting."""
    shares = {client: [one.cpu_share * 1000 for one in each] for client, each in idle.items()}
    rows = [(client, spread(each), ratio_with_spread(each, shares[baseline])) for client, each in shares.items()]
    return table(("client", "CPU, ms per second", f"by {baseline}'s"), rows)
