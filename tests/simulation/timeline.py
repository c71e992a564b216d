"""Virtual time: what is to happen when. Events of one time happen in the order in which they were planned."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from math import ceil

from attrs import define, field

__all__ = ["BEGINNING", "Plan", "Timeline"]

#: Any time, in seconds since the epoch.
BEGINNING = 1_000_000.0

Action = Callable[[], None]


@define(eq=False)
class Plan:
    """Something that is to happen, unless it is called off."""

    action: Action | None

    def call_off(self) -> None:
        """Let it not happen."""
        self.action = None


@define
class Timeline:
    """What is planned, and what time it is (seconds)."""

    now: float = BEGINNING
    happened: int = 0
    grain: float = 0.0  # if it is not 0, everything happens at multiples of it, so that much is due at the same time
    _planned: list[tuple[float, int, Plan]] = field(factory=list)
    _count: int = 0

    def at(self, time: float, action: Action) -> Plan:
        """Plan something for this time, or for now if that is over."""
        plan = Plan(action)
        self._count += 1
        if self.grain:
            time = ceil(time / self.grain) * self.grain
        heappush(self._planned, (max(time, self.now), self._count, plan))
        return plan

    def after(self, seconds: float, action: Action) -> Plan:
        """Plan something for so much later."""
        return self.at(self.now + seconds, action)

    def step(self) -> bool:
        """Let the next thing happen; False if nothing is planned."""
        while self._planned:
            time, _, plan = heappop(self._planned)
            if plan.action is not None:
                action, plan.action = plan.action, None
                self.now = time
                self.happened += 1
                action()
                return True
        return False

    def next_time(self) -> float | None:
        """When the next thing happens; None if nothing is planned."""
        while self._planned and self._planned[0][2].action is None:
            heappop(self._planned)
        return self._planned[0][0] if self._planned else None
