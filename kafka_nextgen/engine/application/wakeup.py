"""How the I/O thread wakes the application.

A wakeup counts its notifications and is never reset. A waiter reads ``count``, checks its condition, then waits for
``count`` to change. So no notification between the check and the wait is lost, and two waiters (such as a listener
inside a poll) do not take notifications from each other.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from contextlib import suppress
from threading import Lock

from kafka_nextgen.transport.turned_clock import ApplicationWait, Clock
from kafka_nextgen.transport.waiting import EagerFuture

__all__ = ["AsyncWakeup", "ThreadWakeup", "Wakeup", "async_wakeup", "thread_wakeup"]


class ThreadWakeup:
    """A wakeup that threads wait for.

    Each thread waits for its own acquired lock, which ``notify`` releases. So a notification costs the I/O thread
    almost nothing, and is safe in a signal handler.
    """

    def __init__(self) -> None:
        #: The number of notifications so far; two threads that notify at the same time may count as one.
        self.count = 0
        self._waiters: deque[Lock] = deque()

    def notify(self) -> None:
        """Wake all waiters."""
        self.count += 1  # first: a thread that starts to wait now sees the new count, or is among the waiters below
        try:
            while True:
                self._waiters.popleft().release()
        except IndexError:
            return

    def wait(self, count: int, timeout_s: float, /) -> None:
        """Block until there are more than ``count`` notifications, at most ``timeout_s`` seconds."""
        waiter = Lock()
        waiter.acquire()
        self._waiters.append(waiter)
        if self.count == count and timeout_s > 0 and waiter.acquire(timeout=timeout_s):
            return  # ``notify`` has removed the waiter
        with suppress(ValueError):  # ``notify`` is in the middle of removing it
            self._waiters.remove(waiter)


class AsyncWakeup:
    """A wakeup that tasks of the application's event loop wait for; they resume in the same loop iteration."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        #: The number of notifications so far.
        self.count = 0
        self._waiters: set[EagerFuture[None]] = set()

    def notify(self) -> None:
        """Wake all waiters."""
        with self._lock:
            self.count += 1
            waiters = list(self._waiters)
        for waiter in waiters:
            waiter.end_from_thread()

    async def wait(self, count: int, timeout_s: float) -> None:
        """Wait until there are more than ``count`` notifications, at most ``timeout_s`` seconds."""
        loop = asyncio.get_running_loop()
        waiter: EagerFuture[None] = EagerFuture()
        with self._lock:
            self._waiters.add(waiter)
            is_notified = self.count != count
        timer = loop.call_later(timeout_s, waiter.end)
        try:
            if not is_notified:
                await waiter
        finally:
            timer.cancel()
            with self._lock:
                self._waiters.discard(waiter)


#: Can be notified from any thread.
Wakeup = ThreadWakeup | AsyncWakeup


class _TurnedThreadWakeup(ThreadWakeup):
    """A wakeup whose timeouts use a clock that a test controls."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self._wait = ApplicationWait(clock, lambda: self.count, self.notify)

    def wait(self, count: int, timeout_s: float, /) -> None:
        with self._wait.until(count, timeout_s):
            super().wait(count, timeout_s)


class _TurnedAsyncWakeup(AsyncWakeup):
    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self._wait = ApplicationWait(clock, lambda: self.count, self.notify)

    async def wait(self, count: int, timeout_s: float) -> None:
        with self._wait.until(count, timeout_s):
            await super().wait(count, timeout_s)


def thread_wakeup(clock: Clock | None) -> ThreadWakeup:
    """Create a wakeup for threads; ``clock`` is None for the system's clock."""
    return ThreadWakeup() if clock is None else _TurnedThreadWakeup(clock)


def async_wakeup(clock: Clock | None) -> AsyncWakeup:
    """Create a wakeup for tasks; ``clock`` is None for the system's clock."""
    return AsyncWakeup() if clock is None else _TurnedAsyncWakeup(clock)
