"""The event loop of a thread of this library."""

from __future__ import annotations

import asyncio
import selectors
import sys

from kafka_nextgen import clocks

__all__ = ["new_private_loop"]

_IS_WINDOWS = sys.platform == "win32"  # whose selector takes 512 sockets only


class _PrivateLoop(asyncio.ProactorEventLoop if _IS_WINDOWS else asyncio.SelectorEventLoop):  # type: ignore[misc]
    def time(self) -> float:
        """The library's clock: asyncio's own stops while a test of the application freezes time."""
        return clocks.monotonic()


def new_private_loop() -> asyncio.AbstractEventLoop:
    """Make a loop of asyncio's own, whichever the application's policy makes (uvloop, for one)."""
    loop: asyncio.AbstractEventLoop = _PrivateLoop() if _IS_WINDOWS else _PrivateLoop(_native_selector())
    loop.set_debug(False)  # ``python -X dev`` looks for mistakes of the application
    return loop


def _native_selector() -> selectors.BaseSelector:
    """A selector that waits for its thread alone, where gevent has put one of its own in its place, too."""
    gevent = sys.modules.get("gevent.monkey")
    kind = selectors.DefaultSelector if gevent is None else gevent.get_original("selectors", "DefaultSelector")
    selector: selectors.BaseSelector = kind()
    return selector
