"""Where the I/O thread leaves what the application's next poll must see: callbacks to run, errors to raise.

The I/O thread puts things in and rings the signal; the application takes them out, in the order they came,
wherever it polls. A signal is an event that either a thread or an event loop can wait for.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from enum import Enum
from typing import Protocol

from attrs import frozen

from kafka_nextgen.errors import TransportError
from kafka_nextgen.membership.events import AssignFinished, LossFinished, RevokeFinished
from kafka_nextgen.types import TopicPartition

__all__ = ["AsyncSignal", "CallbackKind", "Mailbox", "PendingCallback", "Signal", "ThreadSignal"]


class CallbackKind(Enum):
    """Which of a RebalanceListener's methods is to run."""

    ASSIGNED = "on_partitions_assigned"
    REVOKED = "on_partitions_revoked"
    LOST = "on_partitions_lost"


_COMPLETIONS: dict[CallbackKind, type[AssignFinished] | type[RevokeFinished] | type[LossFinished]] = {
    CallbackKind.ASSIGNED: AssignFinished,
    CallbackKind.REVOKED: RevokeFinished,
    CallbackKind.LOST: LossFinished,
}


@frozen
class PendingCallback:
    """A listener's method to run where the application polls, and the number its completion must name."""

    kind: CallbackKind
    number: int
    partitions: tuple[TopicPartition, ...]

    def finished(self, error: BaseException | None) -> AssignFinished | RevokeFinished | LossFinished:
        """The event that tells the member how the callback ended."""
        return _COMPLETIONS[self.kind](self.number, None if error is None else repr(error))


class Signal(Protocol):
    """Can be rung from any thread; stays rung until it is cleared."""

    def ring(self) -> None:
        """Wake whoever waits, or the next one to wait."""

    def clear(self) -> None:
        """Forget earlier rings; called by the waiter before it looks for what it waits for."""


class ThreadSignal:
    """A signal that a thread waits for."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def ring(self) -> None:
        """Wake whoever waits, or the next one to wait."""
        self._event.set()

    def clear(self) -> None:
        """Forget earlier rings."""
        self._event.clear()

    def wait(self, timeout_s: float) -> None:
        """Block until it rings, at most ``timeout_s`` seconds."""
        self._event.wait(timeout_s)


class AsyncSignal:
    """A signal that a task of the application's own event loop waits for."""

    def __init__(self) -> None:
        self._rung = threading.Event()
        self._waiter: asyncio.Future[None] | None = None

    def ring(self) -> None:
        """Wake whoever waits, or the next one to wait."""
        self._rung.set()
        waiter = self._waiter
        if waiter is not None and not waiter.get_loop().is_closed():
            waiter.get_loop().call_soon_threadsafe(_resolve, waiter)

    def clear(self) -> None:
        """Forget earlier rings."""
        self._rung.clear()

    async def wait(self, timeout_s: float) -> None:
        """Wait until it rings, at most ``timeout_s`` seconds."""
        self._waiter = waiter = asyncio.get_running_loop().create_future()
        try:
            if not self._rung.is_set():  # looked at after the waiter is in place, so that no ring falls between
                await asyncio.wait([waiter], timeout=timeout_s)
        finally:
            self._waiter = None
            waiter.cancel()


def _resolve(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)


class Mailbox:
    """Callbacks and errors on their way from the I/O thread to the application."""

    def __init__(self, signal: Signal) -> None:
        self._signal = signal
        self._callbacks: deque[PendingCallback] = deque()
        self._errors: deque[Exception] = deque()

    def post_callback(self, callback: PendingCallback) -> None:
        """Leave a callback for the next poll."""
        self._callbacks.append(callback)
        self._signal.ring()

    def post_error(self, error: Exception) -> None:
        """Leave an error for the next poll to raise."""
        self._errors.append(error)
        self._signal.ring()

    def post_unless_weather(self, error: Exception) -> None:
        """Leave an error for the next poll to raise, if trying again will not help."""
        if not isinstance(error, TransportError) and not getattr(error, "retriable", False):
            self.post_error(error)

    def take_callback(self) -> PendingCallback | None:
        """The oldest callback not yet taken, if any."""
        return self._callbacks.popleft() if self._callbacks else None

    def take_error(self) -> Exception | None:
        """The oldest error not yet taken, if any."""
        return self._errors.popleft() if self._errors else None

    def forget_callbacks(self) -> None:
        """Drop the callbacks nobody will run any more."""
        self._callbacks.clear()
