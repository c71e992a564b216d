"""How hard cores are to get: what a machine and one process do while something is measured.

Linux tells it: /proc/pressure/cpu how long at least one thread was ready to run and had no core (pressure stall
information), and schedstat of each thread there is how long it ran, and how long it waited for a core. (/proc/stat
would not do: it tells who runs when the clock ticks, and whoever is woken by that clock has mostly gone by then.)
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping
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
        self._began, self._short_s, self._threads = time.monotonic(), _short_s(), _threads()

    def strain(self) -> Strain:
        """What it was since then. Threads that have ended meanwhile do not count."""
        took_s, threads = time.monotonic() - self._began, _threads()
        busy, _ = self._since(threads)
        ran, waited = self._since({place: times for place, times in threads.items() if _is_own(place)})
        return Strain(busy / took_s, (_short_s() - self._short_s) / took_s, ran / took_s, waited / took_s)

    def _since(self, threads: Mapping[Path, tuple[int, int]]) -> tuple[float, float]:
        """How long these threads have run since then, and have waited for a core, in seconds."""
        if not threads:
            return nan, nan
        then = [self._threads.get(place, (0, 0)) for place in threads]
        ran_ns = sum(ran for ran, _ in threads.values()) - sum(ran for ran, _ in then)
        waited_ns = sum(waited for _, waited in threads.values()) - sum(waited for _, waited in then)
        return ran_ns / 1e9, waited_ns / 1e9


def _short_s() -> float:
    told = _told("/proc/pressure/cpu", r"some .*total=(\d+)")
    return int(told) / 1e6 if told else nan


def _told(path: str, pattern: str) -> str:
    """What the first line that matches says, if the file is there and has one."""
    file = Path(path)
    found = re.match(pattern, file.read_text()) if file.exists() else None
    return found[1] if found else ""


def _is_own(place: Path) -> bool:
    return place.parts[-4] == str(os.getpid())


def _threads() -> dict[Path, tuple[int, int]]:
    """How long each thread has run so far, and has waited for a core, in nanoseconds, by the file that tells it."""
    threads = {}
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it ends meanwhile
            for each in process.glob("task/*/schedstat"):
                ran, waited, *_ = each.read_text().split()
                threads[each] = int(ran), int(waited)
    return threads
