"""One daemon thread with one event loop per consumer.

Heartbeats are sent from here, so they depend neither on the application's thread nor on its event loop. What the
application asks for is a coroutine handed over by ``submit``; what the thread finds on its own is left in the
``Mailbox``.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import TypeVar

from kafka_nextgen.errors import MisuseError

__all__ = ["IoThread"]

T = TypeVar("T")


class IoThread:
    """Owns the event loop. Used by every thread of the process that made it; unusable after a fork."""

    def __init__(self, name: str) -> None:
        self._pid = os.getpid()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def submit(self, work: Coroutine[object, object, T]) -> Future[T]:
        """Run a coroutine on the loop; its result arrives in the future, cancelling that cancels the work.

        Raises MisuseError if the consumer is closed, or was made before a fork.
        """
        try:
            self.check_usable()
            return asyncio.run_coroutine_threadsafe(work, self._loop)
        except MisuseError:
            work.close()
            raise

    def call_soon(self, callback: Callable[[], object]) -> None:
        """Run a plain callable on the loop, soon; does nothing once the thread has stopped."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(callback)

    def check_usable(self) -> None:
        """Raise MisuseError if this is not the process that made the thread, or the thread has stopped."""
        if os.getpid() != self._pid:
            raise MisuseError("this consumer was made before a fork; make a new one in the child process")
        if self._loop.is_closed() or not self._thread.is_alive():
            raise MisuseError("this consumer is closed")

    def stop(self, timeout_s: float) -> None:
        """End the loop after what is running now, and wait for the thread up to ``timeout_s`` seconds."""
        if os.getpid() != self._pid or self._loop.is_closed():
            return
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout_s)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._cancel_everything()
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()

    def _cancel_everything(self) -> None:
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        if tasks:
            self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
