"""Timers on the event loop.

If a callback raises, the loop's exception handler gets the error and the timer is set again, since the callback may
have failed before it set the timer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from math import inf

from kafka_nextgen import clocks

__all__ = ["LazyTimer", "Timer"]

#: Seconds until a callback that raised is called again.
RETRY_S = 1.0


class Timer:
    """Calls ``callback`` once. Setting it replaces the time that was set before."""

    def __init__(self, callback: Callable[[], object]) -> None:
        self._callback = callback
        self._handle: asyncio.TimerHandle | None = None

    @property
    def is_set(self) -> bool:
        """Whether a call is scheduled."""
        return self._handle is not None

    def set(self, moment: float | None) -> None:
        """Call back at ``moment`` (seconds, monotonic), or soon if that has passed; None cancels the timer."""
        self.set_after(None if moment is None else moment - clocks.monotonic())

    def set_after(self, delay_s: float | None) -> None:
        """Call back after ``delay_s``, or soon if that is negative; None cancels the timer."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None
        if delay_s is not None:
            self._handle = asyncio.get_running_loop().call_later(max(0.0, delay_s), self._fire)

    def _fire(self) -> None:
        self._handle = None
        try:
            self._callback()
        except Exception:
            if self._handle is None:
                self.set_after(RETRY_S)
            raise


class LazyTimer:
    """A timer for deadlines that change thousands of times a second: moving a deadline to a later time costs nothing.

    It fires no later than the earliest deadline it was given, and often too early. ``callback`` gets the time on the
    loop's clock for which the timer was set, checks what is due, and sets the next deadline.
    """

    def __init__(self, callback: Callable[[float], object]) -> None:
        #: When it fires next: infinite if it is not set, minus infinity once it is stopped.
        self.at = inf
        self._callback = callback
        self._loop = asyncio.get_running_loop()
        self._handle: asyncio.TimerHandle | None = None

    def fire_by(self, deadline: float) -> None:
        """Fire at ``deadline`` (the loop's clock) or earlier, unless the timer is stopped."""
        if deadline < self.at:
            self._cancel()
            self.at = deadline
            self._handle = self._loop.call_at(deadline, self._fire)

    def stop(self) -> None:
        """Never fire again."""
        self._cancel()
        self.at = -inf

    def _cancel(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def _fire(self) -> None:
        at, self.at, self._handle = self.at, inf, None
        try:
            self._callback(at)
        except Exception:
            self.fire_by(self._loop.time() + RETRY_S)
            raise
