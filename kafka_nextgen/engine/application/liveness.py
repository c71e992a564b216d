"""Whether a call is still under way, by its frame: if a signal handler raises in it, its frame ends all the same.

So a mark that an interrupted call has left behind, such as that a caller is inside, is known to be out of date.
"""

from __future__ import annotations

import asyncio
import inspect
import sys
import threading
from types import CoroutineType, FrameType, GeneratorType

__all__ = ["is_in_task", "is_in_thread"]


def is_in_thread(frame: FrameType, thread: object) -> bool:
    """Whether that thread, by its ident, is executing ``frame`` or what that called. If that can't be told, it is."""
    if thread == threading.get_ident():
        return _outermost(frame, sys._getframe()) is frame  # noqa: SLF001
    for _ in range(_MOST_LOOKS):
        outermost = _outermost(frame, sys._current_frames().get(thread))  # type: ignore[call-overload]  # noqa: SLF001
        if outermost is None or outermost is frame:
            return outermost is frame
        if not outermost.f_code.co_flags & _MAY_BE_SUSPENDED:
            return False
    return True


def is_in_task(frame: FrameType, task: object) -> bool:
    """Whether that task is executing ``frame``, or waits in it. If that can't be told, it is."""
    if not isinstance(task, asyncio.Task) or task is asyncio.current_task():
        return _outermost(frame, sys._getframe()) is frame  # noqa: SLF001
    if task.done():
        return False
    awaited: object = task.get_coro()
    while isinstance(awaited, (CoroutineType, GeneratorType)):
        if isinstance(awaited, GeneratorType):  # an ``__await__`` may be one, and wait for a coroutine in turn
            awaited = awaited.gi_yieldfrom
        elif awaited.cr_frame is frame:
            return True
        else:
            awaited = awaited.cr_await
    return not (awaited is None or type(awaited).__name__ == _LEAF)


#: What a task waits for when no coroutine is left below: a future.
_LEAF = "FutureIter"

#: Another thread goes on while its frames are looked at. A generator that is suspended then has no frame below it any
#: more, so a look that ended there says nothing.
_MAY_BE_SUSPENDED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_MOST_LOOKS = 100


def _outermost(frame: FrameType, top: FrameType | None) -> FrameType | None:
    """``frame``, if ``top`` is it or was called by it; else the outermost frame there is, None without ``top``."""
    found = None
    while top is not None and found is not frame:
        found, top = top, top.f_back
    return found
