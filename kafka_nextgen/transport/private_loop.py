"""The event loop of a thread of this library."""

from __future__ import annotations

import asyncio
import selectors
import sys

from kafka_nextgen import clocks
from kafka_nextgen.transport.turned_clock import Clock

__all__ = ["new_private_loop"]

_IS_WINDOWS = sys.platform == "win32"  # whose selector takes 512 sockets only


class _PrivateLoop(asyncio.ProactorEventLoop if _IS_WINDOWS else asyncio.SelectorEventLoop):  # type: ignore[misc]
    def time(self) -> float:
        """The library's clock: asyncio's own stops while a test of the application freezes time."""
        return clocks.monotonic()


def new_private_loop(clock: Clock | None = None) -> asyncio.AbstractEventLoop:
    """Make a loop of asyncio's own, whichever the application's policy makes (uvloop, for one).

    With ``clock``, it follows that one, as does the thread that runs it.
    """
    loop = _real_loop() if clock is None else _turned_loop(clock)
    loop.set_debug(False)  # ``python -X dev`` looks for mistakes of the application
    return loop


def _real_loop() -> asyncio.AbstractEventLoop:
    return _PrivateLoop() if _IS_WINDOWS else _PrivateLoop(_native_selector())


def _turned_loop(clock: Clock) -> asyncio.AbstractEventLoop:
    from kafka_nextgen.transport.turned_loop import TurnedLoop

    return TurnedLoop(_native_selector(), clock)


def _native_selector() -> selectors.BaseSelector:
    """A selector that waits for its thread alone, where gevent has put one of its own in its place, too."""
    gevent = sys.modules.get("gevent.monkey")
    kind = selectors.DefaultSelector if gevent is None else gevent.get_original("selectors", "DefaultSelector")
    selector: selectors.BaseSelector = kind()
    return selector
