"""What one reading takes: time, processor, memory.

It begins when the partitions are assigned, after everything is imported and the consumer is made, and ends with the
last record. Until the first byte of a record comes there is much to do that has nothing to do with reading: connecting,
metadata, looking up offsets. How long that is, the same client shows on a topic with one record in each partition; it
is taken off for the rate, and counted for the rate since the assignment. Memory is the most that the process ever held
beyond what it held when the imports were done, the consumer's own included.
"""

from __future__ import annotations

import resource
import time
from contextlib import suppress
from pathlib import Path

from attrs import frozen

__all__ = ["Gauge", "Reading"]

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")


@frozen
class Reading:
    """One reading of all ``records``, of whose time ``start_s`` is that of a reading of hardly any."""

    records: int
    whole_s: float
    user_s: float
    system_s: float
    peak_bytes: int
    start_s: float = 0.0

    @property
    def per_second(self) -> float:
        """Records a second, without the start; with it if there was nothing else."""
        return self.records / (self.whole_s - self.start_s) if self.whole_s > self.start_s else self.from_start

    @property
    def from_start(self) -> float:
        """Records a second, since the assignment."""
        return self.records / self.whole_s

    @property
    def cpu_s_per_million(self) -> float:
        """Processor seconds of all threads, in user and system, for a million records."""
        return (self.user_s + self.system_s) / self.records * 1e6

    @property
    def peak_mb(self) -> float:
        """The peak of memory above that of the imports."""
        return self.peak_bytes / 1e6


class Gauge:
    """Made when the imports are done; told by a reader of ``begin`` and ``end``."""

    def __init__(self) -> None:
        _forget_peak()
        self._imports_bytes = _memory("VmRSS")

    def begin(self) -> None:
        """Now partitions are assigned."""
        self._used = resource.getrusage(resource.RUSAGE_SELF)
        self._begin = time.perf_counter()

    def end(self, records: int) -> Reading:
        """All records have been looked at."""
        end = time.perf_counter()
        used = resource.getrusage(resource.RUSAGE_SELF)
        return Reading(
            records,
            end - self._begin,
            used.ru_utime - self._used.ru_utime,
            used.ru_stime - self._used.ru_stime,
            max(0, _memory("VmHWM") - self._imports_bytes),
        )


def _forget_peak() -> None:
    with suppress(OSError):  # no Linux, or not allowed: then what importing peaked at counts too
        _CLEAR.write_text("5")  # the high-water mark begins anew, see proc(5)


def _memory(name: str) -> int:
    if not _STATUS.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith(f"{name}:"))
    return int(line.split()[1]) * 1024
