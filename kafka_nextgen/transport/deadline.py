"""Time limits: one deadline for everything a call does, and ways to wait that obey it and can be cancelled.

Waiting for a future here never cancels it: it may be shared, or its answer may have to be swallowed later.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from typing import Generic, TypeVar

from kafka_nextgen.errors import DisconnectedError, RequestTimeoutError
from kafka_nextgen.transport.reply import Reply

__all__ = ["ClosedError", "Deadline", "Shared", "set_within"]

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


class ClosedError(DisconnectedError):
    """This side was closed; trying again is of no use."""


class Deadline:
    """The moment, on the running loop's clock, by which something must be done; ``what``, as text, is for the error."""

    def __init__(self, timeout_s: float, what: object) -> None:
        self._loop = asyncio.get_running_loop()
        self._timeout_s = timeout_s
        self._at = self._loop.time() + timeout_s
        self._what = what

    def begin_anew(self, now: float) -> None:
        """Have all of the time again, from now on; ``now`` is on the loop's clock."""
        self._at = now + self._timeout_s

    def left_s(self, now: float | None = None) -> float:
        """Seconds left, never negative; ``now``, on the loop's clock, is for who knows it."""
        return max(0.0, self._at - (self._loop.time() if now is None else now))

    def missed(self, last_failure: object = None) -> RequestTimeoutError:
        """The error of whoever did not make it; an exception that kept it from that is its cause."""
        because = "" if last_failure is None else f"; the last failure was: {last_failure}"
        error = RequestTimeoutError(f"{self._what}: not done within {self._timeout_s:g} s{because}")
        error.__cause__ = last_failure if isinstance(last_failure, Exception) else None
        return error

    async def wait(self, future: asyncio.Future[T], last_failure: object = None) -> T:
        """Wait for a future without owning it. Raises ``RequestTimeoutError``, or what the future raises."""
        await asyncio.wait({future}, timeout=self.left_s())
        if not future.done():
            raise self.missed(last_failure)
        if future.cancelled():
            raise ClosedError(f"{self._what}: closed by this client")
        return future.result()

    def limit(self, reply: Reply[T], why: Callable[[], object] = lambda: None) -> None:
        """Let an answer that is not here by then be a ``RequestTimeoutError``; ``why`` is then asked for its cause."""
        reply.fail_at(self._at, lambda: self.missed(why()))

    async def pause(self, delay_s: float, last_failure: object = None) -> None:
        """Sleep; raises ``RequestTimeoutError`` at once if the time left would not outlast it."""
        if delay_s >= self.left_s():
            raise self.missed(last_failure)
        await asyncio.sleep(delay_s)


async def set_within(event: asyncio.Event, timeout_s: float) -> bool:
    """Wait for an event, at most ``timeout_s`` seconds; whether it was set.

    Not by ``wait_for``, which before Python 3.12 forgets a cancellation that comes together with the event.
    """
    waiting = asyncio.ensure_future(event.wait())
    try:
        await asyncio.wait([waiting], timeout=timeout_s)
    finally:
        waiting.cancel()
    return event.is_set()


class Shared(Generic[K, T]):
    """Work that several callers want at once is done once for all of them, and survives any of them leaving."""

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
        """The result of ``work``, begun now or already under way under this ``key``."""
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
            task.exception()  # whoever waits raises it; if nobody does any more it is no news

    async def close(self) -> None:
        """Cancel what is under way and wait for its end; nothing new is begun."""
        self._closed = True
        tasks = list(self._running.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
