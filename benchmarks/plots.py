"""Plots for the page of figures, as SVG in ``docs/plots``; each is made by the benchmark whose figures it shows.

matplotlib is imported only when something is drawn: it is the extra ``kafka-nextgen[bench]``. The same figures make
the same file, byte for byte.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from attrs import frozen

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["PLOTS", "Bar", "draw_bars", "draw_lines"]

PLOTS = Path(__file__).parent.parent / "docs" / "plots"

OURS, PEERS = "#2a6f97", "#b0b7bf"
WIDTH_IN, HEIGHT_OF_BAR_IN = 6.0, 0.3


@frozen
class Bar:
    """One bar: the median of the values, with a line from the least to the most."""

    label: str
    values: Sequence[float]
    is_ours: bool = False


def draw_bars(name: str, panels: Mapping[str, Sequence[Bar]], unit: str, folder: Path = PLOTS) -> Path:
    """Draw horizontal bars, panel below panel, and return the file."""
    figure, axes = _figure([len(bars) for bars in panels.values()])
    for axis, (title, bars) in zip(axes, panels.items(), strict=True):
        axis.set_title(title, loc="left", fontsize=9)
        for row, bar in enumerate(bars):
            _draw_bar(axis, row, bar)
        axis.set_yticks(range(len(bars)), [bar.label for bar in bars], fontsize=8)
        axis.invert_yaxis()
        axis.set_xlabel(unit, fontsize=8)
    return _save(figure, name, folder)


def _draw_bar(axis: Axes, row: int, bar: Bar) -> None:
    low, mid, high = min(bar.values), median(bar.values), max(bar.values)
    axis.barh(row, mid, color=OURS if bar.is_ours else PEERS, height=0.7)
    axis.plot([low, high], [row, row], color="black", linewidth=1)
    axis.annotate(f" {mid:,.3g}" if mid < 1000 else f" {mid:,.0f}", (max(high, mid), row), fontsize=7, va="center")


def draw_lines(
    name: str, lines: Mapping[str, Sequence[tuple[float, float]]], axes: tuple[str, str], folder: Path = PLOTS
) -> Path:
    """Draw lines over a logarithmic axis upwards, and return the file."""
    figure, (axis,) = _figure([10])
    for label, points in lines.items():
        style = "-" if label.startswith("kafka_nextgen") else "--"
        axis.plot(*zip(*points, strict=True), style, label=label, linewidth=1.2)
    axis.set_yscale("log")
    axis.set_xlabel(axes[0], fontsize=8)
    axis.set_ylabel(axes[1], fontsize=8)
    axis.legend(fontsize=7)
    return _save(figure, name, folder)


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
