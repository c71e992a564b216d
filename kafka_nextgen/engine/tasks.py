"""Work on the I/O thread: in the background, where failures must not be lost, or for somebody who waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from kafka_nextgen.transport.background import OnFailure, keep_running

__all__ = ["TaskSet", "UnderWay"]

T = TypeVar("T")


class TaskSet:
    """Starts tasks, keeps them alive, and hands an exception nobody expected to ``on_failure``."""

    def __init__(self, on_failure: OnFailure) -> None:
        self._on_failure = on_failure
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[object, object, None]) -> asyncio.Task[None]:
        """Run ``work`` in the background."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)
        return task

    def keep(self, work: Callable[[], Coroutine[object, object, None]]) -> asyncio.Task[None]:
        """Run ``work`` in the background until it returns; an exception is told, and it begins again."""
        return self.start(keep_running(work, self._on_failure))

    async def cancel_all(self) -> None:
        """Cancel what still runs and wait until it has ended."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            error = task.exception()
            if isinstance(error, Exception):
                self._on_failure(error)


class UnderWay:
    """What somebody waits for, as long as it takes; each task is that of whoever asked."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    async def do(self, work: Callable[[], Coroutine[object, object, T]]) -> T:
        """Do this, and count it as under way meanwhile."""
        task = asyncio.current_task()
        assert task is not None, "work is done by tasks"
        self._tasks.add(task)
        try:
            return await work()
        finally:
            self._tasks.discard(task)

    async def wait(self, timeout_s: float) -> None:
        """Wait until what is under way now has ended, at most ``timeout_s`` seconds."""
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=timeout_s)

    def cancel(self, grace_s: float = 0.0) -> None:
        """Cancel what is under way now, unless it ends within ``grace_s`` seconds."""
        for task in tuple(self._tasks):
            if grace_s > 0:
                asyncio.get_running_loop().call_later(grace_s, task.cancel)
            else:
                task.cancel()
