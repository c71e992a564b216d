"""Looking in time after what is due, where that changes a thousand times a second.

A timer for each request would cost more than the request. So there is one, which rings no later than when something is
due, and often too early: whoever is called then looks, and says when to look next.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from math import inf

__all__ = ["Lookout"]

#: How soon (seconds) to look again after an exception.
AGAIN_S = 1.0


class Lookout:
    """Calls ``look`` on the loop it was made on, with the moment of the loop's clock at which that was to be."""

    def __init__(self, look: Callable[[float], object]) -> None:
        #: When it looks next; infinite if nothing is due, and in front of everything once it is over.
        self.at = inf
        self._look = look
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None

    def by(self, due_at: float) -> None:
        """Look no later than then, unless it is over."""
        if due_at < self.at:
            self._cancel()
            self.at = due_at
            self._timer = self._loop.call_at(due_at, self._ring)

    def end(self) -> None:
        """Don't look any more, whatever is due."""
        self._cancel()
        self.at = -inf

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _ring(self) -> None:
        at, self.at, self._timer = self.at, inf, None
        try:
            self._look(at)
        except Exception:  # the loop's exception handler is told; what is due is looked after all the same
            self.by(self._loop.time() + AGAIN_S)
            raise
