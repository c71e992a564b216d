"""``async for``: records that lie ready are given out without a coroutine for each, by an ``Iteration``.

A loop whose body awaits nothing would keep all other tasks waiting, so every few milliseconds it lets them run by
itself. What the time is it asks after a stride: as many records as are likely to take a fraction of that.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from itertools import islice

from kafka_nextgen.compiled import ACCELERATED, accelerator
from kafka_nextgen.engine.application.cursor import Cursor
from kafka_nextgen.types import Record

__all__ = ["IterationInPython", "Refill", "iterate"]

#: How long (seconds) it may go on without a pause.
BREATH_S = 0.005
#: How long a stride should take (seconds), and how many records it has at most.
STRIDE_S, LONGEST_STRIDE = 0.001, 1024

#: What to take the next records from, which may have none, and how many of them.
Refill = tuple[Iterator[Record], int]


def iterate(cursor: Cursor, poll: Callable[[], Awaitable[object]]) -> AsyncIterator[Record]:
    """A loop. ``poll`` has the next records lie ready in ``cursor``, however long it takes."""
    refill = _Strides(cursor, poll).begin_next
    return accelerator.Iteration(refill) if ACCELERATED else IterationInPython(refill)


class _Strides:
    """Where a loop gets its records from, stride by stride."""

    def __init__(self, cursor: Cursor, poll: Callable[[], Awaitable[object]]) -> None:
        self._cursor = cursor
        self._poll = poll
        self._length = 64
        self._next: tuple[int, int] | None = None  # when the last stride began
        self._began_at = self._paused_at = time.monotonic()

    async def begin_next(self) -> Refill:
        """Let other tasks run if it is time for that, and go on; what was cancelled here has taken no record."""
        now = time.monotonic()
        took_s = max(now - self._began_at, 1e-6)
        self._length = max(1, min(LONGEST_STRIDE, 2 * self._length, int(self._length * STRIDE_S / took_s)))
        if now - self._paused_at >= BREATH_S:
            await asyncio.sleep(0)
            now = self._paused_at = time.monotonic()
        self._began_at = now
        upcoming = self._cursor.next
        if upcoming is None or upcoming == self._next:  # an error may have ended what gives out the run
            await self._poll()
            upcoming = self._cursor.next
        self._next = upcoming
        return self._cursor.records, self._length


class IterationInPython(AsyncIterator[Record]):
    """The twin without a compiler, a coroutine for each record."""

    def __init__(self, refill: Callable[[], Coroutine[None, None, Refill]]) -> None:
        self._refill = refill
        self._records: Iterator[Record] = iter(())

    async def __anext__(self) -> Record:
        while True:
            for record in self._records:
                return record
            records, count = await self._refill()
            self._records = islice(records, count)
