"""Which threads are inside a call of a consumer, and what waits until they are out.

A signal handler runs in the main thread, wherever it finds it: between two steps of a poll, in a callback, under a
lock that the I/O thread needs next. In there it must wait for nothing. So it leaves a wish, which is carried out by the
same thread as soon as its outermost call has let go of everything; the call then ends with MisuseError.

A handler may also raise, even where a call is about to end. So a thread counts as inside only while it executes the
frame that entered, and a wish stays until it is carried out.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import FrameType

from kafka_nextgen.engine.application.liveness import is_in_thread
from kafka_nextgen.errors import MisuseError

__all__ = ["Absence", "Presence"]


class Presence:
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


class Absence(Presence):
    """For consumers that no signal handler closes."""

    def enter(self, frame: FrameType) -> None:
        """Note nothing."""

    def leave(self, frame: FrameType, error: BaseException | None) -> None:
        """There is nothing to be done."""
