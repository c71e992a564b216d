"""Event loops that run in threads."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.waiting import GUARD_S


@contextmanager
def running(*loops: asyncio.AbstractEventLoop) -> Iterator[None]:
    """Each loop runs in a thread of its own."""
    threads = [threading.Thread(target=loop.run_forever) for loop in loops]
    for loop, thread in zip(loops, threads, strict=True):
        has_begun = threading.Event()
        loop.call_soon(has_begun.set)
        thread.start()
        assert has_begun.wait(GUARD_S)
    yield
    for loop, thread in zip(loops, threads, strict=True):
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
