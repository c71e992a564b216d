"""Plots for the page of figures, as SVG in ``docs/benchmarks/plots``; each is made by the benchmark that it shows.

matplotlib is imported only when something is drawn: it is the extra ``kafka-nextgen[bench]``. The same figures make
the same file, byte for byte.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log10
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from attrs import frozen

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["PLOTS", "Bar", "draw_bars", "draw_curves", "draw_percentiles"]

PLOTS = Path(__file__).parent.parent / "docs" / "benchmarks" / "plots"

OURS, PEERS = "#2a6f97", "#b0b7bf"
WIDTH_IN, HEIGHT_OF_BAR_IN = 8.0, 0.28

#: How high a panel of lines is, in bars.
BARS_OF_LINES = 12

#: The percentiles that an axis of percentiles names.
PERCENTILES = (50, 90, 99, 99.9)


@frozen
class Bar:
    """One bar: the median of the values, with a line from the least to the most."""

    label: str
    values: Sequence[float]
    is_ours: bool = False


def draw_bars(
    name: str, panels: Mapping[str, Sequence[Bar]], unit: str, folder: Path = PLOTS, scale: str = "linear"
) -> Path:
    """Draw horizontal bars, panel below panel, and return the file; ``scale`` may be log."""
    figure, axes = _figure([len(bars) for bars in panels.values()])
    for axis, (title, bars) in zip(axes, panels.items(), strict=True):
        axis.set_title(title, loc="left", fontsize=9)
        for row, bar in enumerate(bars):
            _draw_bar(axis, row, bar)
        axis.set_yticks(range(len(bars)), [bar.label for bar in bars], fontsize=8)
        axis.invert_yaxis()
        axis.set_xlabel(unit, fontsize=8)
        axis.set_xscale(scale)
        axis.xaxis.set_major_formatter(lambda value, _: _told(value))
    return _save(figure, name, folder)


def _draw_bar(axis: Axes, row: int, bar: Bar) -> None:
    low, mid, high = min(bar.values), median(bar.values), max(bar.values)
    axis.barh(row, mid, color=OURS if bar.is_ours else PEERS, height=0.7)
    axis.plot([low, high], [row, row], color="black", linewidth=1)
    axis.annotate(f"  {_told(mid)}", (high, row), fontsize=7, va="center")


def _told(value: float) -> str:
    return f"{value:.3g}" if value < 1000 else f"{value / 1e3:.3g} k" if value < 1e6 else f"{value / 1e6:.3g} M"


def draw_percentiles(
    name: str, lines: Mapping[str, Sequence[tuple[float, float]]], unit: str, folder: Path = PLOTS
) -> Path:
    """Draw values by percentile, which is below 100, each nine as wide as the one before; return the file."""
    figure, (axis,) = _figure([BARS_OF_LINES])
    for label, points in lines.items():
        _draw_line(axis, label, [(_nines(percentile), value) for percentile, value in points])
    axis.set_yscale("log")
    axis.yaxis.set_major_formatter(lambda value, _: _told(value))
    axis.set_xticks([_nines(each) for each in PERCENTILES], [f"p{each:g}" for each in PERCENTILES])
    axis.set_ylabel(unit, fontsize=8)
    axis.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
    return _save(figure, name, folder)


def draw_curves(
    name: str, panels: Mapping[str, Mapping[str, Sequence[tuple[float, float]]]], unit: str, folder: Path = PLOTS
) -> Path:
    """Draw lines, panel below panel, both axes logarithmic, with a legend for all; return the file."""
    figure, axes = _figure([BARS_OF_LINES] * len(panels))
    for axis, (title, lines) in zip(axes, panels.items(), strict=True):
        axis.set_title(title, loc="left", fontsize=9)
        for label, points in lines.items():
            _draw_line(axis, label, points, marker="o")
        axis.set_xscale("log")
        axis.set_yscale("log")
        for each in (axis.xaxis, axis.yaxis):
            each.set_major_formatter(lambda value, _: _told(value))
        axis.set_xlabel(unit, fontsize=8)
    axes[0].legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
    return _save(figure, name, folder)


def _draw_line(axis: Axes, label: str, points: Sequence[tuple[float, float]], marker: str = "") -> None:
    style = "-" if label.startswith("kafka_nextgen") else "--"
    places, values = [place for place, _ in points], [value for _, value in points]
    axis.plot(places, values, style, label=label, linewidth=1.2, marker=marker, markersize=3)


def _nines(percentile: float) -> float:
    return -log10(1 - percentile / 100)


def _figure(rows: Sequence[int]) -> tuple[Figure, Sequence[Axes]]:
    from matplotlib.figure import Figure

    height_in = sum(rows) * HEIGHT_OF_BAR_IN + 0.8 * len(rows)
    figure = Figure(figsize=(WIDTH_IN, height_in), layout="constrained")
    axes = figure.subplots(len(rows), 1, squeeze=False, height_ratios=rows)[:, 0]
    for axis in axes:
        axis.spines[["top", "right"]].set_visible(False)
        axis.tick_params(labelsize=8)
        axis.margins(x=0.15)
    return figure, list(axes)


def _save(figure: Figure, name: str, folder: Path) -> Path:
    from matplotlib import rc_context

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.svg"
    with rc_context({"svg.hashsalt": name, "svg.fonttype": "none"}):
        figure.savefig(path, metadata={"Date": None})
    return path
