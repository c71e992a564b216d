"""The event loop of a thread of this library."""

from __future__ import annotations

import asyncio
import sys

from kafka_nextgen import clocks

__all__ = ["new_private_loop"]

if sys.platform == "win32":
    _Loop = asyncio.ProactorEventLoop  # a selector there takes 512 sockets
else:
    _Loop = asyncio.SelectorEventLoop


class _PrivateLoop(_Loop):
    def time(self) -> float:
        """The library's clock: asyncio's own stops while a test of the application freezes time."""
        return clocks.monotonic()


def new_private_loop() -> asyncio.AbstractEventLoop:
    """Make a loop of asyncio's own, whichever the application's policy makes (uvloop, for one)."""
    return _PrivateLoop()
