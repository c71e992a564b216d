"""How long things took: in all, and on average and at most of late.

"Of late" is what Kafka's clients mean by it: the window of 30 seconds under way and the one before it
(``metrics.sample.window.ms`` and ``metrics.num.samples`` with their defaults). One thread notes; any may read, since
what it reads is replaced as a whole or is a single number.
"""

from __future__ import annotations

from attrs import define, frozen

__all__ = ["WINDOW_S", "Latency", "Timings"]

#: How long (seconds) a window lasts.
WINDOW_S = 30.0


@frozen
class Latency:
    """Durations in milliseconds: all of them added up, and average and longest of the last 30 to 60 seconds.

    Average and longest are None if nothing was measured in that time.
    """

    total_ms: float = 0.0
    avg_ms: float | None = None
    max_ms: float | None = None


@define
class _Window:
    began: float
    count: int = 0
    total_s: float = 0.0
    max_s: float = 0.0


class Timings:
    """Durations of one kind of thing. ``now`` is on any steady clock, in seconds."""

    def __init__(self) -> None:
        self.count = 0
        self.total_s = 0.0
        self._windows: tuple[_Window, ...] = ()

    def note(self, took_s: float, now: float, count: int = 1, longest_s: float | None = None) -> None:
        """Take a duration in that ended now; or so many of late that took this long together, with the longest."""
        self.count += count
        self.total_s += took_s
        if not self._windows or now - self._windows[-1].began >= WINDOW_S:
            self._windows = (*self._windows[-1:], _Window(now))
        window = self._windows[-1]
        window.count += count
        window.total_s += took_s
        longest_s = took_s if longest_s is None else longest_s
        if longest_s > window.max_s:
            window.max_s = longest_s

    def latency(self, now: float) -> Latency:
        """What was measured until now."""
        recent = [window for window in self._windows if now - window.began < 2 * WINDOW_S]
        count = sum(window.count for window in recent)
        if not count:
            return Latency(self.total_s * 1000)
        avg_s = sum(window.total_s for window in recent) / count
        return Latency(self.total_s * 1000, avg_s * 1000, max(window.max_s for window in recent) * 1000)

    def recent_s(self, now: float) -> float:
        """The durations of late added up, in seconds."""
        return sum(window.total_s for window in self._windows if now - window.began < 2 * WINDOW_S)
