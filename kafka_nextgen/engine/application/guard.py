"""One caller at a time: a consumer used by two threads, or two tasks, says so instead of losing records.

The holder may come back in (a listener that commits runs inside ``poll``); anybody else is refused, except for
``close``, which waits for its turn.

A signal handler may raise anywhere, also where a call is about to give the consumer back. So the consumer is held only
as long as the frame that entered is being executed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import FrameType
from typing import NamedTuple

from kafka_nextgen.errors import ConcurrentUseError

__all__ = ["Guard"]


class _Held(NamedTuple):
    holder: object
    call: str
    frame: FrameType


class Guard:
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
