"""Which calls of a consumer are under way, by their frames: one caller at a time, and ``close`` by a signal handler.

A signal handler may raise anywhere, even where a call is about to end. So no mark left by a call is trusted: a call is
under way only while the frame that entered it is being executed.
"""

from __future__ import annotations

import asyncio
import inspect
import sys
import threading
from collections.abc import Callable
from types import CoroutineType, FrameType, GeneratorType
from typing import NamedTuple

from kafka_nextgen.errors import ConcurrentUseError, MisuseError

__all__ = ["CallGuard", "CallTracker", "NoCallTracker", "is_in_task", "is_in_thread"]


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


class _Held(NamedTuple):
    holder: object
    call: str
    frame: FrameType


class CallGuard:
    """``whoami`` tells callers apart: a thread's ident, or the running task.

    ``is_inside`` says whether a caller is still inside a frame.
    """

    def __init__(self, whoami: Callable[[], object], is_inside: Callable[[FrameType, object], bool]) -> None:
        self._whoami = whoami
        self._is_inside = is_inside
        self._lock = threading.RLock()  # a signal handler may close from within
        self._held: _Held | None = None

    @property
    def is_held(self) -> bool:
        """Whether a caller is inside."""
        held = self._held
        return held is not None and self._is_inside(held.frame, held.holder)

    def refusal(self, call: str) -> ConcurrentUseError:
        """What to raise where another caller has the consumer."""
        held = self._held
        return ConcurrentUseError(
            f"{call}() was called while another thread or task is inside {held.call if held else 'another call'}(); "
            "a consumer serves one caller at a time, only close() may come from elsewhere"
        )

    def try_enter(self, call: str, frame: FrameType) -> bool:
        """Take the consumer until ``leave`` or the end of ``frame``, if it is free or held by this caller already."""
        me = self._whoami()
        with self._lock:
            held = self._held
            if held is not None and self._is_inside(held.frame, held.holder):
                return held.holder == me
            self._held = _Held(me, call, frame)
            return True

    def leave(self, frame: FrameType) -> None:
        """Give the consumer back, if this frame has taken it."""
        held = self._held
        if held is not None and held.frame is frame:
            self._held = None


class CallTracker:
    """Entering it is being inside a call; what was left to be done is done at the end of the outermost.

    Each thread writes under its own ident only, so that there is no lock that a handler could find taken.
    """

    def __init__(self) -> None:
        self._frames: dict[int, FrameType] = {}  # that of the outermost call
        self._wishes: dict[int, Callable[[], bool]] = {}

    def __enter__(self) -> None:
        self.enter(sys._getframe(1))  # noqa: SLF001

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self.leave(sys._getframe(1), error)  # noqa: SLF001

    def enter(self, frame: FrameType) -> None:
        """This frame is a call from here on, or a part of the call that it is inside of."""
        me = threading.get_ident()
        outermost = self._frames.get(me)
        if outermost is None or not is_in_thread(outermost, me):
            self._frames[me] = frame

    def leave(self, frame: FrameType, error: BaseException | None) -> None:
        """The call ends, with an error or None; does what is to be done at its end."""
        me = threading.get_ident()
        if self._frames.get(me) is not frame:
            return
        is_granted = False
        while me in self._wishes:
            is_granted |= self._wishes[me]()
            del self._wishes[me]  # now: if carrying it out is interrupted, the next call does it, or close
        del self._frames[me]  # nothing is called since that was looked at
        if is_granted and error is None:
            raise MisuseError("this consumer was closed during the call")

    @property
    def is_inside(self) -> bool:
        """Whether this thread is inside a call."""
        me = threading.get_ident()
        outermost = self._frames.get(me)
        return outermost is not None and is_in_thread(outermost, me)

    @property
    def has_wish(self) -> bool:
        """Whether something is to be done when the call is over that this thread is inside of."""
        return threading.get_ident() in self._wishes

    def when_out(self, wish: Callable[[], bool]) -> None:
        """Have this done when the call is over that this thread is inside of; it says whether it did anything."""
        assert self.is_inside
        self._wishes[threading.get_ident()] = wish


class NoCallTracker(CallTracker):
    """For consumers that no signal handler closes."""

    def enter(self, frame: FrameType) -> None:
        """Note nothing."""

    def leave(self, frame: FrameType, error: BaseException | None) -> None:
        """There is nothing to be done."""
