"""A timer on the event loop that can be set anew."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

__all__ = ["Alarm"]


class Alarm:
    """Calls ``ring`` once, when it is time."""

    def __init__(self, ring: Callable[[], None]) -> None:
        self._ring = ring
        self._timer: asyncio.TimerHandle | None = None

    def set(self, delay_s: float | None) -> None:
        """Ring ``delay_s`` from now, whatever was set before; None to be silent."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if delay_s is not None:
            self._timer = asyncio.get_running_loop().call_later(max(delay_s, 0.0), self._ring)
