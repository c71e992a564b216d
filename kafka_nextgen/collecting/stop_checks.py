"""Cancels pending work, for example on an unavailable cluster, soon after a stop is requested."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine

__all__ = ["STOP_CHECK_S", "ends_before_stop"]

#: How often, in seconds, to check whether a stop was requested: a signal handler can't wake up a task.
STOP_CHECK_S = 0.2


async def ends_before_stop(work: Coroutine[object, object, None], is_stopped: Callable[[], bool]) -> bool:
    """Await ``work``; return True at its end. Cancel it once ``is_stopped``, and return False.

    Raises the errors of the work.
    """
    task = asyncio.ensure_future(work)
    try:
        while not task.done() and not is_stopped():
            await asyncio.wait([task], timeout=STOP_CHECK_S)
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait([task])
    if task.cancelled():
        return False
    task.result()
    return True
