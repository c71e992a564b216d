"""How often something happens: in all, and in a second of late.

"Of late" is what Kafka means by it, as in ``timings``: the window of 30 seconds under way and the one before it. What
happened in less than one window is taken for what happens in a whole one.
"""

from __future__ import annotations

from attrs import define

from kafka_nextgen.metrics.timings import WINDOW_S

__all__ = ["Meter"]


@define
class _Window:
    began: float
    count: int = 0


class Meter:
    """Events of one kind. ``now`` is on any steady clock, in seconds. One thread notes, any may read."""

    def __init__(self) -> None:
        self.count = 0
        self._windows: tuple[_Window, ...] = ()

    def note(self, count: int, now: float) -> None:
        """So many happened just now."""
        self.count += count
        if not self._windows or now - self._windows[-1].began >= WINDOW_S:
            self._windows = (*self._windows[-1:], _Window(now))
        self._windows[-1].count += count

    def rate(self, now: float) -> float:
        """How many happen in a second, by the last 30 to 60."""
        recent = [window for window in self._windows if now - window.began < 2 * WINDOW_S]
        if not recent:
            return 0.0
        return sum(window.count for window in recent) / max(now - recent[0].began, WINDOW_S)
