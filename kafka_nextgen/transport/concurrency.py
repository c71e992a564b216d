"""Concurrent calls: work that they share, and requests sent in call order."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Hashable
from typing import Generic, TypeVar

from kafka_nextgen.transport.waiting import ClosedError, Deadline, EagerFuture

__all__ = ["SendQueue", "SingleFlight"]

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


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
            task.exception()  # without this, asyncio would log the exception if all callers have left

    async def close(self) -> None:
        """Cancel all work and wait for it to end; ``get`` raises from now on."""
        self._closed = True
        tasks = list(self._running.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class SendQueue:
    """Sends requests in call order, even if finding the broker takes longer for some of them.

    A request starts once the previous one has failed or has been passed to its connection, which then keeps the order.
    """

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def send(self, begin: Callable[[], Awaitable[EagerFuture[T]]], deadline: Deadline) -> T:
        """Call ``begin`` once all earlier requests are sent, and return the reply.

        Raises ``RequestTimeoutError``, or the exceptions raised by ``begin`` or the reply.
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
