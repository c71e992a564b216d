"""How the I/O thread wakes the application.

A wakeup counts its notifications and is never reset. A waiter reads ``count``, checks its condition, then waits for
``count`` to change. So no notification between the check and the wait is lost, and two waiters (such as a listener
inside a poll) do not take notifications from each other.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

from kafka_nextgen import clocks
from kafka_nextgen.transport.turned_clock import ApplicationWait, Clock
from kafka_nextgen.transport.waiting import EagerFuture

if TYPE_CHECKING:
    from kafka_nextgen.compiled import accelerator
    from kafka_nextgen.engine.reading.lent_sockets import AsyncLentSockets, ThreadLentSockets

__all__ = ["AsyncWakeup", "ThreadWakeup", "Wakeup", "async_wakeup", "thread_wakeup"]


class Waiter(Protocol):
    """A thread that waits until it is released."""

    def release(self) -> None:
        """End the wait; called on any thread, or in a signal handler."""
        ...


class ThreadWakeup:
    """A wakeup that threads wait for.

    Each thread waits for its own acquired lock, which ``notify`` releases. So a notification costs the I/O thread
    almost nothing, and is safe in a signal handler.
    """

    def __init__(self) -> None:
        #: The number of notifications so far; two threads that notify at the same time may count as one.
        self.count = 0
        #: What ``notify`` removes and releases.
        self.waiters: deque[Waiter] = deque()
        #: The connections that are lent to the waiting thread; None if this is not possible.
        self.sockets: ThreadLentSockets | None = None

    @property
    def is_awaited(self) -> bool:
        """Whether a thread is waiting."""
        return bool(self.waiters)

    def lend_by(self, call_soon: Callable[[Callable[[], None]], None]) -> ThreadLentSockets | None:
        """Allow the I/O thread to lend connections; ``call_soon`` schedules a call on it. None if it can't."""
        from kafka_nextgen.engine.reading.lent_sockets import CAN_LEND, ThreadLentSockets

        if CAN_LEND:
            self.sockets = ThreadLentSockets(self, call_soon)
        return self.sockets

    def notify(self) -> None:
        """Wake all waiters."""
        self.count += 1  # first: a thread that starts to wait now sees the new count, or is among the waiters below
        try:
            while True:
                self.waiters.popleft().release()
        except IndexError:
            return

    def wait(self, count: int, timeout_s: float, /) -> None:
        """Block until there are more than ``count`` notifications, at most ``timeout_s`` seconds."""
        if self.sockets is not None and timeout_s > 0 and self.sockets.wait(count, clocks.monotonic() + timeout_s):
            return
        waiter = Lock()
        waiter.acquire()
        self.waiters.append(waiter)
        if self.count == count and timeout_s > 0 and waiter.acquire(timeout=timeout_s):
            return  # ``notify`` has removed the waiter
        with suppress(ValueError):  # ``notify`` is in the middle of removing it
            self.waiters.remove(waiter)


class AsyncWakeup:
    """A wakeup that tasks of the application's event loop wait for; they resume in the same loop iteration."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        #: The number of notifications so far.
        self.count = 0
        self._waiters: set[EagerFuture[None]] = set()
        #: The connections that are lent to the waiting task's event loop; None if this is not possible.
        self.sockets: AsyncLentSockets | None = None

    @property
    def is_awaited(self) -> bool:
        """Whether a task is waiting."""
        return bool(self._waiters)

    def lend_by(self, call_soon: Callable[[Callable[[], None]], None]) -> AsyncLentSockets | None:
        """Allow the I/O thread to lend connections; ``call_soon`` schedules a call on it. None if it can't."""
        from kafka_nextgen.engine.reading.lent_sockets import CAN_LEND, AsyncLentSockets

        if CAN_LEND:
            self.sockets = AsyncLentSockets(self, call_soon)
        return self.sockets

    def end_waits(self) -> None:
        """Wake all waiters, without a notification; called on their event loop."""
        for waiter in tuple(self._waiters):
            waiter.end()

    def notify(self) -> None:
        """Wake all waiters."""
        with self._lock:
            self.count += 1
            waiters = list(self._waiters)
        if self.sockets is not None and self.sockets.rows is not None:
            self.sockets.rows.end()
        for waiter in waiters:
            waiter.end_from_thread()

    async def wait(self, count: int, timeout_s: float) -> None:
        """Wait until there are more than ``count`` notifications, at most ``timeout_s`` seconds.

        Ends earlier if an answer arrives at a lent connection.
        """
        loop = asyncio.get_running_loop()
        waiter: EagerFuture[None] = EagerFuture()
        if self.sockets is not None and self.sockets.by_fd:
            self.sockets.watch()
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

    async def arrival(self, count: int, rows: accelerator.ArrivingRows[Any]) -> None:
        """Wait until records have arrived for ``rows``, or they have ended."""
        assert self.sockets is not None
        self.sockets.watch()
        waiter: EagerFuture[None] = EagerFuture()
        self._waiters.add(waiter)  # before the count is read: ``notify`` counts before it reads the waiters
        try:
            if self.count != count:
                rows.end()
            if not (rows.is_over or rows.is_ready):
                await waiter
        finally:
            self._waiters.discard(waiter)


#: Can be notified from any thread.
Wakeup = ThreadWakeup | AsyncWakeup


class _TurnedThreadWakeup(ThreadWakeup):
    """A wakeup whose timeouts use a clock that a test controls. It has no lent connections, whose waits can't."""

    def lend_by(self, call_soon: Callable[[Callable[[], None]], None]) -> None:
        """Lend nothing."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self._wait = ApplicationWait(clock, lambda: self.count, self.notify)

    def wait(self, count: int, timeout_s: float, /) -> None:
        with self._wait.until(count, timeout_s):
            super().wait(count, timeout_s)


class _TurnedAsyncWakeup(AsyncWakeup):
    def lend_by(self, call_soon: Callable[[Callable[[], None]], None]) -> None:
        """Lend nothing."""

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
