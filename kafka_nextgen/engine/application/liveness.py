"""Whether a call is still under way, by its frame: whatever a signal handler raises, and wherever, takes that off.

What a call leaves behind when it is interrupted on its way out, a mark that somebody is inside, say, is known by this.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from types import FrameType

__all__ = ["is_in_task", "is_in_thread"]


def is_in_thread(frame: FrameType, thread: object) -> bool:
    """Whether that thread, by its ident, is executing ``frame`` or what that has called."""
    if thread == threading.get_ident():
        return _is_below(frame, sys._getframe())  # noqa: SLF001
    return _is_below(frame, sys._current_frames().get(thread))  # type: ignore[call-overload]  # noqa: SLF001


def is_in_task(frame: FrameType, task: object) -> bool:
    """Whether that task is executing ``frame``, or waits in it. If that can't be told, it is."""
    if not isinstance(task, asyncio.Task) or task is asyncio.current_task():
        return _is_below(frame, sys._getframe())  # noqa: SLF001
    if task.done():
        return False
    awaited: object = task.get_coro()
    while (frame_there := getattr(awaited, "cr_frame", None)) is not None:
        if frame_there is frame:
            return True
        awaited = getattr(awaited, "cr_await", None)
    return not (awaited is None or type(awaited).__name__ in _LEAVES)


#: What a task waits for when no coroutine is left below.
_LEAVES = {"FutureIter", "generator"}


def _is_below(frame: FrameType, top: FrameType | None) -> bool:
    while top is not None:
        if top is frame:
            return True
        top = top.f_back
    return False
