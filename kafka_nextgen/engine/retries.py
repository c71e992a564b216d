"""How long an operation made of several requests goes on trying: until its deadline, with growing pauses."""

from __future__ import annotations

import asyncio
import random
import time

from kafka_nextgen.errors import RequestTimeoutError

__all__ = ["Patience"]


class Patience:
    """A deadline and a backoff; ``what`` says in errors what was tried."""

    def __init__(self, what: str, timeout_s: float, backoff_s: float, backoff_max_s: float) -> None:
        self._what = what
        self._timeout_s = timeout_s
        self._deadline = time.monotonic() + timeout_s
        self._backoff_s = backoff_s
        self._backoff_max_s = backoff_max_s

    def left_s(self) -> float:
        """Seconds left, never negative."""
        return max(0.0, self._deadline - time.monotonic())

    def require_time(self, last_failure: object = None) -> float:
        """Seconds left; raises RequestTimeoutError, with the last failure, if there are none."""
        left_s = self.left_s()
        if left_s <= 0:
            raise self.timed_out(last_failure)
        return left_s

    def timed_out(self, last_failure: object) -> RequestTimeoutError:
        """The error of an operation whose time is over."""
        because = f"; the last failure was: {last_failure}" if last_failure is not None else ""
        return RequestTimeoutError(f"{self._what}: not done within {self._timeout_s:g} s{because}")

    async def pause(self, last_failure: object) -> None:
        """Wait before the next attempt; raises RequestTimeoutError at once if that would be too late."""
        pause_s = self._backoff_s * (0.8 + 0.4 * random.random())
        self._backoff_s = min(self._backoff_s * 2, self._backoff_max_s)
        if pause_s >= self.left_s():
            raise self.timed_out(last_failure)
        await asyncio.sleep(pause_s)
