"""``async for``: a loop whose body awaits nothing would keep all other tasks waiting, so it lets them run by itself.

It does so every few milliseconds, that is after as many records as took that long last time.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from itertools import islice

from kafka_nextgen.engine.application.cursor import Cursor
from kafka_nextgen.types import Record

__all__ = ["AsyncIteration"]

#: How long (seconds), and for how many records, it may go on without a pause.
BREATH_S, LONGEST_BREATH = 0.005, 1024


class AsyncIteration(AsyncIterator[Record]):
    """One loop. ``poll`` gives the next record however long it takes; ``cursor`` has those that lie ready behind it."""

    def __init__(self, cursor: Cursor, poll: Callable[[], Awaitable[Record]]) -> None:
        self._cursor = cursor
        self._poll = poll
        self._breath = 64
        self._paused_at = time.monotonic()
        self._records: Iterator[Record] = iter(())

    async def __anext__(self) -> Record:
        for record in self._records:
            return record
        await self._pause()
        record = await self._poll()
        self._records = islice(self._cursor.records, self._breath)
        return record

    async def _pause(self) -> None:
        took_s = max(time.monotonic() - self._paused_at, 1e-6)
        self._breath = max(1, min(LONGEST_BREATH, 2 * self._breath, int(self._breath * BREATH_S / took_s)))
        await asyncio.sleep(0)
        self._paused_at = time.monotonic()
