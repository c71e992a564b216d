"""``for`` and ``async for`` over a consumer: fetched records are given out, then there is a poll.

No line of Python runs between two records that lie ready, in either loop. An exception ends neither: the next call for
a record goes on where that was. Taking the record is the last thing done, so no signal handler runs between that and
the loop that gets it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from itertools import chain, islice

from kafka_nextgen import clocks
from kafka_nextgen.compiled import ACCELERATED, accelerator
from kafka_nextgen.engine.application.cursor import Cursor
from kafka_nextgen.types import Record

__all__ = ["IterationInPython", "Refill", "iterate", "iterate_async"]


def iterate(poll: Callable[[], Iterator[Record]]) -> Iterator[Record]:
    """Iterate over what ``poll`` returns, until it raises StopIteration."""
    return chain.from_iterable(_runs(poll))  # in C: no line of Python between two records


def _runs(poll: Callable[[], Iterator[Record]]) -> Iterator[Iterator[Record]]:
    """Iterators one after the other. An exception in one ends neither this nor the chain of them.

    Only StopIteration does, as it ends ``one_more``.
    """
    rest: Iterator[Record] = iter(())
    is_over = False

    def begin() -> Record:
        nonlocal rest, is_over
        while True:
            try:
                rest = poll()
            except StopIteration:
                is_over = True
                raise
            for record in rest:
                return record

    one_more = iter(begin, None)
    while not is_over:
        yield islice(one_more, 1)
        yield rest


#: How long (seconds) a loop may run before other tasks get their turn.
BREATH_S = 0.005
#: How long a stride should take (seconds), and how many records it has at most.
STRIDE_S, LONGEST_STRIDE = 0.001, 1024

#: The iterator to take the next records from, which may be empty, and how many to take.
Refill = tuple[Iterator[Record], int]


def iterate_async(cursor: Cursor, poll: Callable[[], Awaitable[object]]) -> AsyncIterator[Record]:
    """Iterate over records of ``cursor``; ``poll`` waits until it has more."""
    refill = _Strides(cursor, poll).begin_next
    return accelerator.Iteration(refill) if ACCELERATED else IterationInPython(refill)


class _Strides:
    """Supplies a loop with records, stride by stride.

    A loop whose body awaits nothing would starve all other tasks, so it lets them run every few milliseconds. It looks
    at the clock only after a stride: as many records as are likely to take a fraction of that time.
    """

    def __init__(self, cursor: Cursor, poll: Callable[[], Awaitable[object]]) -> None:
        self._cursor = cursor
        self._poll = poll
        self._length = 64
        self._next: tuple[int, int] | None = None  # when the last stride began
        self._began_at = self._paused_at = clocks.monotonic()

    async def begin_next(self) -> Refill:
        """Let other tasks run if it is time, then go on. Being cancelled here loses no record."""
        now = clocks.monotonic()
        took_s = max(now - self._began_at, 1e-6)
        self._length = max(1, min(LONGEST_STRIDE, 2 * self._length, int(self._length * STRIDE_S / took_s)))
        if now - self._paused_at >= BREATH_S:
            await asyncio.sleep(0)
            now = self._paused_at = clocks.monotonic()
        self._began_at = now
        upcoming = self._cursor.next
        if upcoming is None or upcoming == self._next:  # an error may have ended the run's iterator
            await self._poll()
            upcoming = self._cursor.next
        self._next = upcoming
        return self._cursor.records, self._length


class IterationInPython(AsyncIterator[Record]):
    """The same without the extension: a coroutine for each record."""

    def __init__(self, refill: Callable[[], Coroutine[None, None, Refill]]) -> None:
        self._refill = refill
        self._records: Iterator[Record] = iter(())

    async def __anext__(self) -> Record:
        while True:
            for record in self._records:
                return record
            records, count = await self._refill()
            self._records = islice(records, count)
