"""Counts and durations: in total, and over the last 30 to 60 seconds.

"Recent" is defined as in Kafka's clients: the current window of 30 seconds and the one before it
(``metrics.sample.window.ms`` and ``metrics.num.samples`` with their defaults). One thread writes and any may read,
because readers see single numbers and objects that are replaced as a whole.
"""

from __future__ import annotations

from kafka_nextgen.lazy_attrs import define, frozen

__all__ = ["WINDOW_S", "Latency", "Meter", "Timings"]

WINDOW_S = 30.0


@frozen
class Latency:
    """Durations in milliseconds: the total, and the average and maximum of the last 30 to 60 seconds.

    Average and maximum are None if nothing was measured in that time.
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


class _Windows:
    """The counts of the current window and of the one before it."""

    def __init__(self) -> None:
        self.count = 0
        self._windows: tuple[_Window, ...] = ()

    def _begin_window(self, now: float) -> _Window:
        window = _Window(now)
        self._windows = (*self._windows[-1:], window)
        return window

    def _recent(self, now: float) -> list[_Window]:
        return [window for window in self._windows if now - window.began < 2 * WINDOW_S]


class Timings(_Windows):
    """Durations of one kind. ``now`` is in seconds on any monotonic clock."""

    def __init__(self) -> None:
        super().__init__()
        self.total_s = 0.0

    def note(self, took_s: float, now: float, count: int = 1, longest_s: float | None = None) -> None:
        """Add a duration that ended now, or ``count`` recent ones with their sum and the longest."""
        self.count += count
        self.total_s += took_s
        windows = self._windows
        # This calls a function only for a new window, because it runs several times for each record.
        window = windows[-1] if windows and now - windows[-1].began < WINDOW_S else self._begin_window(now)
        window.count += count
        window.total_s += took_s
        longest_s = took_s if longest_s is None else longest_s
        if longest_s > window.max_s:
            window.max_s = longest_s

    def latency(self, now: float) -> Latency:
        """Return the durations until now."""
        recent = self._recent(now)
        count = sum(window.count for window in recent)
        if not count:
            return Latency(self.total_s * 1000)
        avg_s = sum(window.total_s for window in recent) / count
        return Latency(self.total_s * 1000, avg_s * 1000, max(window.max_s for window in recent) * 1000)

    def recent_s(self, now: float) -> float:
        """Return the sum of recent durations in seconds."""
        return sum(window.total_s for window in self._recent(now))


class Meter(_Windows):
    """Counts events of one kind. ``now`` is in seconds on any monotonic clock.

    If less than one window has passed, the rate is still computed over a whole window.
    """

    def note(self, count: int, now: float) -> None:
        """Add ``count`` events that happened now."""
        self.count += count
        windows = self._windows
        window = windows[-1] if windows and now - windows[-1].began < WINDOW_S else self._begin_window(now)
        window.count += count

    def rate(self, now: float) -> float:
        """Return the events per second over the last 30 to 60 seconds."""
        recent = self._recent(now)
        if not recent:
            return 0.0
        return sum(window.count for window in recent) / max(now - recent[0].began, WINDOW_S)
