"""An event loop that turns its own clock: where another loop would sleep, it goes on at its next timer.

Both ends of every connection have to be on the loop. Time stands still while bytes are on their way between them, or
while a thread works for the loop.
"""

from __future__ import annotations

import selectors
from collections.abc import Callable

from kafka_nextgen.transport.loopback import is_anything_under_way
from kafka_nextgen.transport.turned_clock import Clock
from kafka_nextgen.transport.turned_loop import TurnedLoop

#: A look (real seconds) for what the kernel may still deliver, before time is turned.
LOOK_S = 0.002


class StandingClock(Clock):
    """Time that only moves on by ``now`` and by ``advance``."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 100_000.0

    def monotonic(self) -> float:
        """Seconds, as far as the clock was turned."""
        return self.now + self.advanced_s

    def time(self) -> float:
        """Seconds since the Unix epoch, in 2020."""
        return 1_600_000_000.0 + self.monotonic()


class _TurningSelector(selectors.DefaultSelector):
    clock: StandingClock
    is_working: Callable[[], bool]

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        while not (events := super().select(0)) and timeout is not None and timeout > 0:
            if (events := super().select(LOOK_S)) or self.is_working():
                break
            if not is_anything_under_way(key.fd for key in self.get_map().values()):
                self.clock.now += timeout
                break
        return events if events or timeout is not None else super().select(None)


class TurningLoop(TurnedLoop):
    """Turns ``clock``; whatever runs on it goes by that clock."""

    def __init__(self) -> None:
        selector, self.clock = _TurningSelector(), StandingClock()
        super().__init__(selector, self.clock)
        selector.clock, selector.is_working = self.clock, lambda: self._works > 0
