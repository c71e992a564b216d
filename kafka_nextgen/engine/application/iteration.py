"""``for`` and ``async for`` over a consumer: they hand over fetched records, then poll.

In both loops, no line of Python runs between two records that are available. An exception does not end the iteration:
the next request for a record continues at the same position. Taking the record is the last operation, so no signal
handler runs before the loop has received it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from kafka_nextgen import clocks
from kafka_nextgen.compiled import ACCELERATED, accelerator
from kafka_nextgen.types import Record

if TYPE_CHECKING:
    from kafka_nextgen.engine.application.cursor import Cursor

__all__ = ["IterationInPython", "Refill", "iterate", "iterate_async"]


def iterate(poll: Callable[[], Iterator[Record[Any, Any]]]) -> Iterator[Record[Any, Any]]:
    """Iterate over what ``poll`` returns, until it raises StopIteration."""
    return chain.from_iterable(_runs(poll))  # in C: no line of Python runs between two records


def _runs(poll: Callable[[], Iterator[Record[Any, Any]]]) -> Iterator[Iterator[Record[Any, Any]]]:
    """Yield iterators in sequence.

    An exception in one of them does not end this generator or the chain of iterators. Only StopIteration does, because
    it ends ``one_more``.
    """
    rest: Iterator[Record[Any, Any]] = iter(())
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


#: How long (seconds) a loop may run before other tasks are allowed to run.
BREATH_S = 0.005
#: The intended duration of a stride (seconds), and the maximum number of records in it.
STRIDE_S, LONGEST_STRIDE = 0.001, 1024

#: The iterator over the next records, which may be empty, and how many to take from it.
Refill = tuple[Iterator[Record[Any, Any]], int]


def iterate_async(cursor: Cursor, poll: Callable[[], Awaitable[object]]) -> AsyncIterator[Record[Any, Any]]:
    """Iterate over the records of ``cursor``; ``poll`` waits until it has more."""
    refill = _Strides(cursor, poll).begin_next
    return accelerator.Iteration(refill) if ACCELERATED else IterationInPython(refill)


class _Strides:
    """Supplies a loop with records, in strides.

    A loop whose body awaits nothing would starve all other tasks, so this class lets them run every few milliseconds.
    It checks the clock only after a stride: the number of records that probably take a fraction of that time.
    """

    def __init__(self, cursor: Cursor, poll: Callable[[], Awaitable[object]]) -> None:
        self._cursor = cursor
        self._poll = poll
        self._length = 64
        self._next: tuple[int, int] | None = None  # the position at which the last stride began
        self._began_at = self._paused_at = clocks.monotonic()

    async def begin_next(self) -> Refill:
        """Let other tasks run if it is time, then continue. A cancellation here loses no record."""
        following = self._cursor.following
        if following is not None and not following.rows.is_ready:
            await self._cursor.arrival(following)
            if following.rows.is_ready:  # so the event loop has run, and other tasks with it
                self._began_at = self._paused_at = clocks.monotonic()
                return following.records, self._length
        now = clocks.monotonic()
        took_s = max(now - self._began_at, 1e-6)
        self._length = max(1, min(LONGEST_STRIDE, 2 * self._length, int(self._length * STRIDE_S / took_s)))
        if now - self._paused_at >= BREATH_S:
            await asyncio.sleep(0)
            now = self._paused_at = clocks.monotonic()
        self._began_at = now
        if following is not None and following.rows.is_ready:
            return following.records, self._length
        upcoming = self._cursor.next
        if upcoming is None or upcoming == self._next:  # an error may have ended the run's iterator
            await self._poll()
            upcoming = self._cursor.next
        self._next = upcoming
        return self._cursor.records, self._length


class IterationInPython(AsyncIterator[Record[Any, Any]]):
    """The same without the C extension, with a coroutine for each record."""

    def __init__(self, refill: Callable[[], Coroutine[None, None, Refill]]) -> None:
        self._refill = refill
        self._records: Iterator[Record[Any, Any]] = iter(())

    async def __anext__(self) -> Record:
        while True:
            for record in self._records:
                return record
            records, count = await self._refill()
            self._records = islice(records, count)
