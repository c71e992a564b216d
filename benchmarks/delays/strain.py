"""How hard cores are to get: what a machine and one process do while something is measured.

Linux tells it: /proc/stat how long the cores were busy, /proc/pressure/cpu how long at least one thread was ready to
run and had no core (pressure stall information), /proc/self/task how long each thread of a process ran, and how long
it waited for a core.
"""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

from attrs import field, frozen

__all__ = ["Strain", "Watch"]

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_IDLE, _IOWAIT = 3, 4


@frozen
class Strain:
    """Shares of the time that was measured: 1.0 is one core, or one thread, all the time."""

    busy: float  # cores that did something
    short: float  # some thread of the machine waited for a core; -1 where the kernel does not tell
    ran: float  # threads of this process that ran
    waited: float  # threads of this process that waited for a core


@frozen
class _Reading:
    at: float = field(factory=time.monotonic)
    busy_s: float = field(factory=lambda: _busy_s())
    short_s: float | None = field(factory=lambda: _short_s())
    threads_s: tuple[float, float] = field(factory=lambda: _threads_s())


class Watch:
    """Looks at the machine from here on."""

    def __init__(self) -> None:
        self._begin = _Reading()

    def strain(self) -> Strain:
        """What it was since then."""
        begin, end = self._begin, _Reading()
        took_s = end.at - begin.at
        short_s = -took_s if end.short_s is None or begin.short_s is None else end.short_s - begin.short_s
        ran_s, waited_s = (late - early for early, late in zip(begin.threads_s, end.threads_s, strict=True))
        return Strain((end.busy_s - begin.busy_s) / took_s, short_s / took_s, ran_s / took_s, waited_s / took_s)


def _busy_s() -> float:
    ticks = [int(each) for each in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    return (sum(ticks) - ticks[_IDLE] - ticks[_IOWAIT]) / _TICKS_PER_S


def _short_s() -> float | None:
    pressure = Path("/proc/pressure/cpu")
    found = re.search(r"^some .*total=(\d+)", pressure.read_text(), re.MULTILINE) if pressure.exists() else None
    return int(found[1]) / 1e6 if found else None


def _threads_s() -> tuple[float, float]:
    """How long the threads of this process have run so far, and have waited for a core."""
    told = [each.read_text().split() for each in Path("/proc/self/task").glob("*/schedstat")]
    return sum(int(ran) for ran, *_ in told) / 1e9, sum(int(waited) for _, waited, _ in told) / 1e9
