"""One moment at which a machine, or whoever drives it, wants to be called."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

__all__ = ["Alarm"]

#: How soon (seconds) to ring again after an exception, if no time was set.
AGAIN_S = 1.0


class Alarm:
    """Calls ``ring`` once, on the event loop that it was set on. What is set takes the place of what was set last.

    What ``ring`` raises goes to the loop's exception handler. It is called again then, for it may have set nothing.
    """

    def __init__(self, ring: Callable[[], object]) -> None:
        self._ring = ring
        self._timer: asyncio.TimerHandle | None = None

    def set(self, moment: float | None) -> None:
        """Ring at ``moment`` (seconds, monotonic), at once if that is over; None for not at all."""
        self.set_after(None if moment is None else moment - time.monotonic())

    def set_after(self, delay_s: float | None) -> None:
        """Ring ``delay_s`` from now, at once if that is negative; None for not at all."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if delay_s is not None:
            self._timer = asyncio.get_running_loop().call_later(max(0.0, delay_s), self._due)

    def _due(self) -> None:
        self._timer = None
        try:
            self._ring()
        except Exception:
            if self._timer is None:
                self.set_after(AGAIN_S)
            raise
