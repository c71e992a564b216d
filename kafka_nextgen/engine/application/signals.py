"""Bells: the I/O thread rings, whoever waits for something looks again.

A bell counts its rings, and nobody clears it. Whoever waits notes ``rings``, looks for what it waits for, and then
waits for another ring than it noted: no ring between looking and waiting is lost, and two that wait (a listener
inside a poll, say) take nothing from each other.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from contextlib import suppress
from threading import Lock
from typing import Protocol

from kafka_nextgen.transport.eager_future import EagerFuture

__all__ = ["AsyncSignal", "BlockingSignal", "Signal", "ThreadSignal"]


class Signal(Protocol):
    """Can be rung from any thread."""

    @property
    def rings(self) -> int:
        """How often it was rung so far."""

    def ring(self) -> None:
        """Wake everybody who waits."""


class BlockingSignal(Signal, Protocol):
    """One that threads wait for."""

    def wait(self, rings: int, timeout_s: float, /) -> None:
        """Block until it was rung, if there are ``rings`` only, at most ``timeout_s`` seconds."""


class ThreadSignal:
    """A signal that threads wait for.

    Each waits for a lock of its own, which is taken already: whoever rings lets it go. That is all there is between
    the two, so that a ring costs the I/O thread next to nothing, and is safe in a signal handler.
    """

    def __init__(self) -> None:
        #: How often it was rung so far; two threads that ring at once may count as one.
        self.rings = 0
        self._waiters: deque[Lock] = deque()

    def ring(self) -> None:
        """Wake everybody who waits."""
        self.rings += 1  # first: whoever begins to wait now sees it, or is seen below
        try:
            while True:
                self._waiters.popleft().release()
        except IndexError:  # nobody waits any more
            return

    def wait(self, rings: int, timeout_s: float, /) -> None:
        """Block until it was rung, if there are ``rings`` only, at most ``timeout_s`` seconds."""
        waiter = Lock()
        waiter.acquire()
        self._waiters.append(waiter)
        if self.rings == rings and timeout_s > 0 and waiter.acquire(timeout=timeout_s):
            return  # whoever rang has taken it out
        with suppress(ValueError):  # it is being rung for
            self._waiters.remove(waiter)


class AsyncSignal:
    """A signal that tasks of the application's event loop wait for; each goes on in the turn of the loop it wakes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        #: How often it was rung so far.
        self.rings = 0
        self._waiters: set[EagerFuture[None]] = set()

    def ring(self) -> None:
        """Wake everybody who waits."""
        with self._lock:
            self.rings += 1
            waiters = list(self._waiters)
        for waiter in waiters:
            waiter.end_from_thread()

    async def wait(self, rings: int, timeout_s: float) -> None:
        """Wait until it was rung more often than ``rings``, at most ``timeout_s`` seconds."""
        loop = asyncio.get_running_loop()
        waiter: EagerFuture[None] = EagerFuture(loop)
        with self._lock:
            self._waiters.add(waiter)
            is_rung = self.rings != rings
        timer = loop.call_later(timeout_s, waiter.end)
        try:
            if not is_rung:
                await waiter
        finally:
            timer.cancel()
            with self._lock:
                self._waiters.discard(waiter)
