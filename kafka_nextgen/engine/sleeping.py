"""Sleeping until a future has ended, and never for long at once.

CPython runs a signal's handler in the main thread, between two instructions. A signal wakes that thread, too, but not
one that comes when it is just falling asleep, or that the system gives to another thread: its handler runs when the
main thread wakes for another reason. On Windows no signal wakes it.

A handler may raise, too. If that happens on the way into a ``threading.Condition`` or out of it, which are lines of
Python, its lock is kept for ever, and the I/O thread waits for it. So futures of that thread wait without one.
"""

from __future__ import annotations

import math
import threading
import time
from concurrent.futures import Future, TimeoutError
from typing import Any, TypeVar

__all__ = ["LONGEST_SLEEP_S", "SafeFuture", "sleep_until_ended"]

T = TypeVar("T")

#: How long (seconds) at once, and so how late a handler may run.
LONGEST_SLEEP_S = 1.0


class _Condition(type(threading.RLock())):  # type: ignore[misc]
    """A lock that ``with`` takes and gives back in one stroke, even if a handler raises. Nothing waits for it."""

    def notify_all(self) -> None:
        """Wake nothing: futures that have ended call their callbacks."""


class SafeFuture(Future[T]):
    """One whose lock is never kept by a thread that a signal handler has raised in."""

    def __init__(self) -> None:
        super().__init__()
        self._condition = _Condition()

    def result(self, timeout: float | None = None) -> T:
        """Wait, at most ``timeout`` seconds, and return the result or raise the error."""
        self._wait(timeout)
        return super().result(0)

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """Wait, at most ``timeout`` seconds, and return the error or None."""
        self._wait(timeout)
        return super().exception(0)

    def _wait(self, timeout: float | None) -> None:
        if not sleep_until_ended(self, math.inf if timeout is None else timeout):
            raise TimeoutError


def sleep_until_ended(future: Future[Any], at_most_s: float) -> bool:
    """Sleep until ``future`` has ended, at most so many seconds; whether it has."""
    if future.done():
        return True
    deadline = time.monotonic() + at_most_s
    ended = threading.Lock()
    ended.acquire()
    future.add_done_callback(lambda _: ended.release())
    while not future.done() and (left_s := deadline - time.monotonic()) > 0:
        ended.acquire(timeout=min(left_s, LONGEST_SLEEP_S))
    return future.done()
