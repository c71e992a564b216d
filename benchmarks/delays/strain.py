"""How hard cores are to get: what a machine and one process do while something is measured.

Linux tells it: /proc/stat how long the cores were busy, /proc/pressure/cpu how long at least one thread was ready to
run and had no core (pressure stall information), /proc/self/task how long each thread of a process ran, and how long
it waited for a core.
"""

from __future__ import annotations

import os
import re
import time
from math import nan
from pathlib import Path

from attrs import frozen

__all__ = ["Strain", "Watch"]

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_IDLE, _IOWAIT = 3, 4


@frozen
class Strain:
    """Shares of the time that was measured: 1.0 is one core, or one thread, all the time; NaN what nobody tells."""

    busy: float  # cores that did something
    short: float  # some thread of the machine waited for a core
    ran: float  # threads of this process that ran
    waited: float  # threads of this process that waited for a core


class Watch:
    """Looks at the machine from here on."""

    def __init__(self) -> None:
        self._began, self._so_far = time.monotonic(), _seconds()

    def strain(self) -> Strain:
        """What it was since then."""
        took_s = time.monotonic() - self._began
        return Strain(*((now - before) / took_s for before, now in zip(self._so_far, _seconds(), strict=True)))


def _seconds() -> tuple[float, float, float, float]:
    return (_busy_s(), _short_s(), *_threads_s())


def _busy_s() -> float:
    told = _told("/proc/stat", r"cpu +(.+)")
    ticks = [int(each) for each in told.split()[:8]]
    return (sum(ticks) - ticks[_IDLE] - ticks[_IOWAIT]) / _TICKS_PER_S if ticks else nan


def _short_s() -> float:
    told = _told("/proc/pressure/cpu", r"some .*total=(\d+)")
    return int(told) / 1e6 if told else nan


def _told(path: str, pattern: str) -> str:
    """What the first line that matches says, if the file is there and has one."""
    file = Path(path)
    found = re.match(pattern, file.read_text()) if file.exists() else None
    return found[1] if found else ""


def _threads_s() -> tuple[float, float]:
    """How long the threads of this process have run so far, and have waited for a core."""
    told = [each.read_text().split() for each in Path("/proc/self/task").glob("*/schedstat")]
    if not told:
        return nan, nan
    return sum(int(ran) for ran, *_ in told) / 1e9, sum(int(waited) for _, waited, _ in told) / 1e9
