"""Sleeping until a future has ended, and never for long at once.

CPython runs a signal's handler in the main thread, between two instructions. A signal wakes that thread, too, but not
one that comes when it is just falling asleep, or that the system gives to another thread: its handler runs when the
main thread wakes for another reason. On Windows no signal wakes it.

A handler may raise, too. If that happens on the way into a ``threading.Condition`` or out of it, which are lines of
Python, its lock is kept for ever, and the I/O thread waits for it. So futures of that thread have another condition.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from concurrent.futures import Future
from typing import Any, TypeVar

__all__ = ["LONGEST_SLEEP_S", "SafeFuture", "sleep_until_ended"]

T = TypeVar("T")

#: How long (seconds) at once, and so how late a handler may run.
LONGEST_SLEEP_S = 1.0


class _Condition(type(threading.RLock())):  # type: ignore[misc]
    """A condition that is a lock itself: ``with`` takes and gives it back in one stroke, whatever a handler raises."""

    def __init__(self) -> None:
        self._waiters: deque[threading.Lock] = deque()

    def notify_all(self) -> None:
        """Wake all that wait."""
        while self._waiters:
            self._waiters.popleft().release()

    def wait(self, timeout: float | None = None) -> bool:
        """Let go of the lock, taken once, until there is something to look at or the time (seconds) is over."""
        waiter = threading.Lock()
        waiter.acquire()
        self._waiters.append(waiter)
        try:
            self.release()
            return waiter.acquire(timeout=-1 if timeout is None else max(0.0, timeout))
        finally:
            if not self._is_owned():
                self.acquire()


class SafeFuture(Future[T]):
    """One whose lock is never kept by a thread that a signal handler has raised in."""

    def __init__(self) -> None:
        super().__init__()
        self._condition = _Condition()


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
