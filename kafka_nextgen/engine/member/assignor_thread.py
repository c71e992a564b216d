"""A thread for code of the application's own that takes as long as it takes: nothing on the I/O thread waits for it.

One thing is done at a time, in the order asked. The thread is a daemon, for what never returns must not keep the
process alive; whoever waits for it then waits in vain, which is why everybody who does has a limit.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import TypeVar

from kafka_nextgen.transport.background import run_and_hold_outcome

__all__ = ["AssignorThread"]

T = TypeVar("T")


class AssignorThread:
    """Made on the I/O thread and asked there; begins with the first thing to do."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._work: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._under_way = 0

    @property
    def is_busy(self) -> bool:
        """Whether something is under way, so that what is asked now would wait."""
        return self._under_way > 0

    def do(self, work: Callable[[], T]) -> asyncio.Future[T]:
        """Do this; the future has what it returns or raises, unless the event loop is gone by then."""
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[T] = loop.create_future()
        self._under_way += 1
        self._work.put(lambda: self._run(work, ended, loop))
        if self._thread is None:
            self._thread = threading.Thread(target=self._serve, name=self._name, daemon=True)
            self._thread.start()
        return ended

    def stop(self) -> None:
        """Begin nothing after what was asked by now."""
        self._work.put(None)

    def _serve(self) -> None:
        while (work := self._work.get()) is not None:
            work()

    def _run(self, work: Callable[[], T], ended: asyncio.Future[T], loop: asyncio.AbstractEventLoop) -> None:
        set_outcome = run_and_hold_outcome(work, ended)
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(self._end, set_outcome)

    def _end(self, set_outcome: Callable[[], None]) -> None:
        self._under_way -= 1
        set_outcome()
