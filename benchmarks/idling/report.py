"""Draws what a client that waits costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.idling.task import Idleness
from benchmarks.plots import PLOTS, Bar, draw_bars

__all__ = ["draw_idle"]


def draw_idle(file: str, idle: Mapping[str, Sequence[Idleness]], folder: Path = PLOTS) -> Path:
    """Draw the processor time of a second of waiting, for each client."""
    bars = [
        Bar(client, [one.cpu_share * 1000 for one in each], client.startswith("kafka_nextgen"))
        for client, each in idle.items()
    ]
    return draw_bars(file, {"idle": bars}, "CPU, milliseconds per second", folder)
