"""How hard cores are to get: what a machine and one process do while something is measured.

Linux tells it: /proc/pressure/cpu how long at least one thread was ready to run and had no core (pressure stall
information), and schedstat of each thread there is how long it ran, and how long it waited for a core. (/proc/stat
would not do: it tells who runs when the clock ticks, and whoever is woken by that clock has mostly gone by then.)
"""

from __future__ import annotations

import re
import time
from contextlib import suppress
from math import nan
from pathlib import Path

from attrs import frozen

__all__ = ["Strain", "Watch"]


@frozen
class Strain:
    """Shares of the time that was measured: 1.0 is one core, or one thread, all the time; NaN what nobody tells."""

    busy: float  # threads of the machine that ran, which takes a core for each
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
    return (_threads_s("*[0-9]")[0], _short_s(), *_threads_s("self"))


def _short_s() -> float:
    told = _told("/proc/pressure/cpu", r"some .*total=(\d+)")
    return int(told) / 1e6 if told else nan


def _told(path: str, pattern: str) -> str:
    """What the first line that matches says, if the file is there and has one."""
    file = Path(path)
    found = re.match(pattern, file.read_text()) if file.exists() else None
    return found[1] if found else ""


def _threads_s(processes: str) -> tuple[float, float]:
    """How long the threads of these processes have run so far, and have waited for a core."""
    told = []
    for each in Path("/proc").glob(f"{processes}/task/*/schedstat"):
        with suppress(OSError):  # it has ended meanwhile
            told.append(each.read_text().split())
    if not told:
        return nan, nan
    return sum(int(ran) for ran, *_ in told) / 1e9, sum(int(waited) for _, waited, _ in told) / 1e9
