"""The event loop of a thread of this library."""

from __future__ import annotations

import asyncio
import selectors
import sys

from kafka_nextgen import clocks
from kafka_nextgen.transport.turned_clock import Clock

__all__ = ["new_private_loop"]

_IS_WINDOWS = sys.platform == "win32"  # its selector is limited to 512 sockets


class _PrivateLoop(asyncio.ProactorEventLoop if _IS_WINDOWS else asyncio.SelectorEventLoop):  # type: ignore[misc]
    #: asyncio's own clock stops when an application's test freezes time.
    time = staticmethod(clocks.real_monotonic)


def new_private_loop(clock: Clock | None = None) -> asyncio.AbstractEventLoop:
    """Create one of asyncio's own loops, even if the application's policy creates others (such as uvloop).

    With ``clock``, the loop and the thread that runs it follow that clock.
    """
    loop = _real_loop() if clock is None else _turned_loop(clock)
    loop.set_debug(False)  # ``python -X dev`` should report mistakes in the application, not here
    return loop


def _real_loop() -> asyncio.AbstractEventLoop:
    return _PrivateLoop() if _IS_WINDOWS else _PrivateLoop(_native_selector())


def _turned_loop(clock: Clock) -> asyncio.AbstractEventLoop:
    from kafka_nextgen.transport.turned_loop import TurnedLoop

    return TurnedLoop(_native_selector(), clock)


def _native_selector() -> selectors.BaseSelector:
    """A selector that blocks only its own thread, even where gevent has replaced the default one."""
    gevent = sys.modules.get("gevent.monkey")
    kind = selectors.DefaultSelector if gevent is None else gevent.get_original("selectors", "DefaultSelector")
    selector: selectors.BaseSelector = kind()
    return selector
