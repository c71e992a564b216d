"""Tracks the calls in progress by their frames: only one caller may be inside, and a signal handler may ``close``.

A signal handler may raise anywhere, even between the last line of a ``try`` and its ``finally``, or in the first line
of the ``finally``. So a call that has ended could leave a flag, a lock or a counter set, and the consumer would refuse
all later calls. Therefore a call registers its frame, and counts as in progress only while that frame is executing.
"""

from __future__ import annotations

import asyncio
import inspect
import sys
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import CoroutineType, FrameType, GeneratorType
from typing import NamedTuple

from kafka_nextgen.errors import ConcurrentUseError, MisuseError

__all__ = ["Call", "CallGuard", "CallTracker", "NoCallTracker", "is_in_task", "is_in_thread", "this_frame"]


def this_frame() -> FrameType:
    """Return the caller's frame."""
    return sys._getframe(1)  # noqa: SLF001  (inspect.currentframe may return None)


def is_in_thread(frame: FrameType, thread: object) -> bool:
    """Whether the thread with this ident is executing ``frame`` or a call made from it; True if this is unknown."""
    if thread == threading.get_ident():
        return _outermost(frame, this_frame()) is frame
    for _ in range(_MOST_LOOKS):
        outermost = _outermost(frame, sys._current_frames().get(thread))  # type: ignore[call-overload]  # noqa: SLF001
        if outermost is None or outermost is frame:
            return outermost is frame
        if not outermost.f_code.co_flags & _MAY_BE_SUSPENDED:
            return False
    return True


def is_in_task(frame: FrameType, task: object) -> bool:
    """Whether the task is executing ``frame`` or is suspended in it; True if this is unknown."""
    if not isinstance(task, asyncio.Task) or task is asyncio.current_task():
        return _outermost(frame, this_frame()) is frame
    if task.done():
        return False
    awaited: object = task.get_coro()
    while isinstance(awaited, (CoroutineType, GeneratorType)):
        if isinstance(awaited, GeneratorType):  # from ``__await__``; it may await a coroutine in turn
            awaited = awaited.gi_yieldfrom
        elif awaited.cr_frame is frame:
            return True
        else:
            awaited = awaited.cr_await
    return not (awaited is None or type(awaited).__name__ == _LEAF)


#: The type that a task's innermost coroutine awaits: a future's iterator.
_LEAF = "FutureIter"

#: Another thread keeps running while its frames are walked. A generator that is suspended in the meantime loses its
#: back frame, so a walk that ends at a generator is inconclusive.
_MAY_BE_SUSPENDED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_MOST_LOOKS = 100


def _outermost(frame: FrameType, top: FrameType | None) -> FrameType | None:
    """Return ``frame`` if it is ``top`` or one of its callers; otherwise the outermost frame (None without ``top``)."""
    found = None
    while top is not None and found is not frame:
        found, top = top, top.f_back
    return found


class _Held(NamedTuple):
    holder: object
    call: str
    frame: FrameType


class CallGuard:
    """Allows only one caller at a time: a second thread or task gets an error, because it could lose records.

    The holder may enter again (a listener that commits runs inside ``poll``). ``whoami`` identifies the caller: a
    thread's ident, or the running task. ``is_inside`` says whether a caller is still inside a frame.
    """

    def __init__(self, whoami: Callable[[], object], is_inside: Callable[[FrameType, object], bool]) -> None:
        self._whoami = whoami
        self._is_inside = is_inside
        self._lock = threading.RLock()  # re-entrant, because a signal handler may close inside a call
        self._held: _Held | None = None
        #: The caller that waits for records outside of any frame, and the name of its call, if there is one.
        self.waiting: Callable[[], tuple[object, str] | None] = _nobody

    @property
    def is_held(self) -> bool:
        """Whether a caller is inside."""
        held = self._held
        return self.waiting() is not None or (held is not None and self._is_inside(held.frame, held.holder))

    def refusal(self, call: str) -> ConcurrentUseError:
        """The error for a second caller."""
        held, waiting = self._held, self.waiting()
        other = waiting[1] if waiting else held.call if held else "another call"
        return ConcurrentUseError(
            f"{call}() was called while another thread or task is inside {other}(); "
            "a consumer serves one caller at a time; only close() may be called from another"
        )

    def try_enter(self, call: str, frame: FrameType) -> bool:
        """Enter until ``leave`` is called or ``frame`` ends; False if another caller is inside."""
        me = self._whoami()
        waiting = self.waiting()
        if waiting is not None and waiting[0] != me:
            return False
        with self._lock:
            held = self._held
            if held is not None and self._is_inside(held.frame, held.holder):
                return held.holder == me
            self._held = _Held(me, call, frame)
            return True

    def leave(self, frame: FrameType) -> None:
        """Leave, if this frame has entered."""
        held = self._held
        if held is not None and held.frame is frame:
            self._held = None


def _nobody() -> None:
    """No caller waits."""


class CallTracker:
    """Tracks which threads are inside a call, and runs deferred work when the outermost call ends.

    A signal handler runs in the main thread at any point: between two steps of a poll, in a callback, while holding a
    lock that the I/O thread needs next. So it must not wait for anything. Instead it defers an action, which the same
    thread carries out as soon as its outermost call has released everything; that call then raises MisuseError. The
    action is kept until it is carried out. Each thread writes only under its own ident, so no lock is needed. (A
    handler could have interrupted the thread that holds a lock.)
    """

    def __init__(self) -> None:
        self._frames: dict[int, FrameType] = {}  # of outermost calls, by thread
        self._deferred: dict[int, Callable[[], bool]] = {}

    def __enter__(self) -> None:
        self.enter(sys._getframe(1))  # noqa: SLF001  (the frame with the ``with`` block)

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self.leave(sys._getframe(1), error)  # noqa: SLF001

    def enter(self, frame: FrameType) -> None:
        """Enter a call with this frame; a nested call is part of the outermost one."""
        me = threading.get_ident()
        outermost = self._frames.get(me)
        if outermost is None or not is_in_thread(outermost, me):
            self._frames[me] = frame

    def leave(self, frame: FrameType, error: BaseException | None) -> None:
        """End the call of this frame with an error or None, and carry out the deferred action of its thread."""
        me = threading.get_ident()
        if self._frames.get(me) is not frame:
            return
        has_acted = False
        while me in self._deferred:
            has_acted |= self._deferred[me]()
            del self._deferred[me]  # last: if the action is interrupted, the next call or close carries it out
        del self._frames[me]  # no call has begun since the check for deferred actions
        if has_acted and error is None:
            raise MisuseError("this consumer was closed during the call")

    @property
    def is_inside(self) -> bool:
        """Whether this thread is inside a call."""
        me = threading.get_ident()
        outermost = self._frames.get(me)
        return outermost is not None and is_in_thread(outermost, me)

    @property
    def has_deferred(self) -> bool:
        """Whether this thread has a deferred action to carry out at the end of its call."""
        return threading.get_ident() in self._deferred

    def when_out(self, act: Callable[[], bool]) -> None:
        """Call ``act`` when this thread's call ends; ``act`` returns whether it did anything."""
        assert self.is_inside
        self._deferred[threading.get_ident()] = act


class NoCallTracker(CallTracker):
    """For consumers that a signal handler can't close: tracks nothing."""

    def enter(self, frame: FrameType) -> None:
        """Do nothing."""

    def leave(self, frame: FrameType, error: BaseException | None) -> None:
        """Do nothing."""


class Call(AbstractContextManager[None]):
    """The context of a call. Only one caller may be inside; a call from a callback is part of the call that runs it.

    ``check_usable`` raises MisuseError if the consumer can't be used. This is a class because it is cheaper than a
    generator, and there can be thousands of polls a second. It has no state, so all calls of one name share an
    instance, even if a signal handler makes one inside another.
    """

    def __init__(
        self, check_usable: Callable[[], None], guard: CallGuard, calls: CallTracker, name: str, is_part: bool
    ) -> None:
        self._check_usable = check_usable
        self._guard = guard
        self._calls = calls
        self._name = name
        self._is_part = is_part

    def __enter__(self) -> None:
        frame = sys._getframe(1)  # noqa: SLF001  (the frame with the ``with`` block)
        self._calls.enter(frame)
        try:
            self._check_usable()
            if not self._is_part and not self._guard.try_enter(self._name, frame):
                raise self._guard.refusal(self._name)
        except BaseException as error:
            self._calls.leave(frame, error)
            raise

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        frame = sys._getframe(1)  # noqa: SLF001  (the frame with the ``with`` block)
        if not self._is_part:
            self._guard.leave(frame)
        self._calls.leave(frame, error)
