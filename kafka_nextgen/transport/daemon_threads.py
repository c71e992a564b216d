"""Blocking work on threads that do not keep the process alive.

The interpreter waits at exit for the threads of asyncio's own executor. A name server that does not answer would delay
the exit by as long as the system goes on asking it.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

__all__ = ["in_daemon_thread", "settling"]

T = TypeVar("T")


def in_daemon_thread(work: Callable[[], T], name: str) -> asyncio.Future[T]:
    """Do this on a thread of its own; the future has what it returns or raises, unless the loop is closed by then."""
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[T] = loop.create_future()

    def run() -> None:
        settle = settling(work, ended)
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(settle)

    threading.Thread(target=run, name=name, daemon=True).start()
    return ended


def settling(work: Callable[[], T], ended: asyncio.Future[T]) -> Callable[[], None]:
    """Do this now; what is returned has to be called on the loop, and settles the future with the outcome."""
    try:
        value = work()
    except BaseException as error:  # the future's owner is told of everything
        told = error if isinstance(error, Exception) else RuntimeError(f"it ended by {type(error).__name__}")
        return lambda: None if ended.done() else ended.set_exception(told)
    return lambda: None if ended.done() else ended.set_result(value)
