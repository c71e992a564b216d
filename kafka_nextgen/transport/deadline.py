"""Deadlines, and waiting that respects them.

Waiting for a future never cancels it: several callers may share it, and a late answer still has to be matched and
discarded.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Hashable
from typing import Generic, TypeVar

from kafka_nextgen.errors import DisconnectedError, RequestTimeoutError
from kafka_nextgen.transport.eager_future import EagerFuture

__all__ = ["ClosedError", "Deadline", "SendQueue", "SingleFlight", "wait_for_event"]

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


class ClosedError(DisconnectedError):
    """This client was closed; a retry is useless."""


class Deadline:
    """A time on the running loop's clock, ``timeout_s`` from now. ``what`` is formatted only if an error needs it."""

    def __init__(self, timeout_s: float, what: object) -> None:
        self._loop = asyncio.get_running_loop()
        self._timeout_s = timeout_s
        self._at = self._loop.time() + timeout_s
        self._what = what

    def restart(self, now: float) -> None:
        """Restart the full timeout from ``now``, on the loop's clock."""
        self._at = now + self._timeout_s

    def left_s(self, now: float | None = None) -> float:
        """Seconds left, never negative; ``now`` avoids reading the loop's clock."""
        return max(0.0, self._at - (self._loop.time() if now is None else now))

    def missed(self, last_failure: object = None) -> RequestTimeoutError:
        """The error for a deadline that passed; ``last_failure`` becomes its cause if it is an exception."""
        because = "" if last_failure is None else f"; the last failure was: {last_failure}"
        error = RequestTimeoutError(f"{self._what}: not done within {self._timeout_s:g} s{because}")
        error.__cause__ = last_failure if isinstance(last_failure, Exception) else None
        return error

    async def wait(self, future: asyncio.Future[T], last_failure: object = None) -> T:
        """Wait for a shared future. Raises ``RequestTimeoutError``, or what the future raises."""
        await asyncio.wait({future}, timeout=self.left_s())
        if not future.done():
            raise self.missed(last_failure)
        if future.cancelled():
            raise ClosedError(f"{self._what}: closed by this client")
        return future.result()

    def limit(self, reply: EagerFuture[T], why: Callable[[], object] = lambda: None) -> None:
        """Fail ``reply`` with ``RequestTimeoutError`` at this deadline; ``why`` is called for the cause."""
        reply.fail_at(self._at, lambda: self.missed(why()))

    async def pause(self, delay_s: float, last_failure: object = None) -> None:
        """Sleep; raises ``RequestTimeoutError`` at once if the deadline would pass meanwhile."""
        if delay_s >= self.left_s():
            raise self.missed(last_failure)
        await asyncio.sleep(delay_s)


async def wait_for_event(event: asyncio.Event, timeout_s: float) -> bool:
    """Wait for an event, at most ``timeout_s`` seconds; returns whether it is set.

    Before Python 3.12, ``asyncio.wait_for`` loses a cancellation that arrives together with the event.
    """
    waiting = asyncio.ensure_future(event.wait())
    try:
        await asyncio.wait([waiting], timeout=timeout_s)
    finally:
        waiting.cancel()
    return event.is_set()


class SingleFlight(Generic[K, T]):
    """Runs work once for all concurrent callers with the same key. The work continues if a caller leaves."""

    def __init__(self) -> None:
        self._running: dict[K, asyncio.Task[T]] = {}
        self._closed = False

    async def get(
        self,
        key: K,
        work: Callable[[], Coroutine[object, object, T]],
        deadline: Deadline,
        last_failure: object = None,
    ) -> T:
        """The result of ``work``, started now unless work for this ``key`` is running."""
        if self._closed:
            raise ClosedError("closed by this client")
        task = self._running.get(key)
        if task is None:
            task = asyncio.get_running_loop().create_task(work())
            self._running[key] = task
            task.add_done_callback(lambda done: self._finished(key, done))
        return await deadline.wait(task, last_failure)

    def _finished(self, key: K, task: asyncio.Task[T]) -> None:
        del self._running[key]
        if not task.cancelled():
            task.exception()  # its callers may all have left; without this asyncio would log it

    async def close(self) -> None:
        """Cancel all work and wait for it to end; ``get`` raises from now on."""
        self._closed = True
        tasks = list(self._running.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class SendQueue:
    """Sends requests in call order, however long each takes to find its broker.

    A request starts when the one before it was passed to its connection, which then keeps the order, or has failed.
    """

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def send(self, begin: Callable[[], Awaitable[EagerFuture[T]]], deadline: Deadline) -> T:
        """Call ``begin`` once all earlier requests are sent, and return the reply.

        Raises ``RequestTimeoutError``, or what ``begin`` or the reply raises.
        """
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        self._release_first()
        try:
            if not turn.done():
                await deadline.wait(turn)
            reply = await begin()
        finally:
            self._waiting.remove(turn)
            self._release_first()
        return await reply

    def _release_first(self) -> None:
        if self._waiting and not self._waiting[0].done():
            self._waiting[0].set_result(None)
