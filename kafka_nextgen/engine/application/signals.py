"""Bells: the I/O thread rings, whoever waits for something looks again.

A bell counts its rings, and nobody clears it. Whoever waits notes ``rings``, looks for what it waits for, and then
waits for another ring than it noted: no ring between looking and waiting is lost, and two that wait (a listener
inside a poll, say) take nothing from each other.
"""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from typing import Protocol

__all__ = ["AsyncSignal", "Signal", "ThreadSignal"]


class Signal(Protocol):
    """Can be rung from any thread."""

    @property
    def rings(self) -> int:
        """How often it was rung so far."""

    def ring(self) -> None:
        """Wake everybody who waits."""


class ThreadSignal:
    """A signal that threads wait for."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._rings = 0

    @property
    def rings(self) -> int:
        """How often it was rung so far."""
        return self._rings

    def ring(self) -> None:
        """Wake everybody who waits."""
        with self._changed:
            self._rings += 1
            self._changed.notify_all()

    def wait(self, rings: int, timeout_s: float) -> None:
        """Block until it was rung more often than ``rings``, at most ``timeout_s`` seconds."""
        with self._changed:
            self._changed.wait_for(lambda: self._rings != rings, timeout_s)


class AsyncSignal:
    """A signal that tasks of the application's event loop wait for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rings = 0
        self._waiters: set[asyncio.Future[None]] = set()

    @property
    def rings(self) -> int:
        """How often it was rung so far."""
        return self._rings

    def ring(self) -> None:
        """Wake everybody who waits."""
        with self._lock:
            self._rings += 1
            waiters = list(self._waiters)
        for waiter in waiters:
            with suppress(RuntimeError):  # its loop was closed: nobody waits there any more
                waiter.get_loop().call_soon_threadsafe(_resolve, waiter)

    async def wait(self, rings: int, timeout_s: float) -> None:
        """Wait until it was rung more often than ``rings``, at most ``timeout_s`` seconds."""
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        with self._lock:
            self._waiters.add(waiter)
            is_rung = self._rings != rings
        try:
            if not is_rung:
                await asyncio.wait([waiter], timeout=timeout_s)
        finally:
            with self._lock:
                self._waiters.discard(waiter)
            waiter.cancel()


def _resolve(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)
