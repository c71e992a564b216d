"""What a handler does with a record: it notes how old it is."""

from __future__ import annotations

import resource
import time

from benchmarks.delays.feed import STAMP_BYTES
from benchmarks.delays.strain import Strain, Watch
from benchmarks.delays.task import Delays, Task

__all__ = ["Log"]


class Log:
    """The delays of one handler; ``take`` each value until it says that it has seen enough."""

    def __init__(self, task: Task) -> None:
        self._begin, self._end = task.window_ns()
        self._delays: list[int] = []
        self._watches = task.watches
        self._watch: Watch | None = None  # since the first record that counts
        self._strain: Strain | None = None
        self._used_s: float | None = None  # before the first record that counts
        self._cpu_s: float | None = None  # from that one to the last

    def take(self, value: bytes) -> bool:
        """Note when ``value`` came; True as long as there is time."""
        now = time.monotonic_ns()
        if now >= self._begin:
            if self._used_s is None:
                self._watch = Watch() if self._watches else None
                self._used_s = _used_s()
            self._delays.append(now - int.from_bytes(value[:STAMP_BYTES], "big"))
            if now >= self._end:
                self._cpu_s = _used_s() - self._used_s
                self._strain = self._watch.strain() if self._watch else None  # while the client has all its threads
        return now < self._end

    def delays(self) -> Delays:
        assert self._cpu_s is not None, "it has not seen enough"
        return Delays.of(self._delays, self._cpu_s, self._strain, (self._begin, self._end))


def _used_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
