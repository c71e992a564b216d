"""Runs calls that may block forever in one thread at a time.

Each connection attempt asks for a password or reads files in a separate thread, which continues after the attempt's
deadline. If a vault or a file server never answers, threads would pile up.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from kafka_nextgen.errors import OutageError

__all__ = ["MOST_WAIT_S", "in_turn"]

#: How long (seconds) other threads wait for a running call.
MOST_WAIT_S = 30.0

T = TypeVar("T")


def in_turn(call: Callable[[], T], what: str) -> Callable[[], T]:
    """Return a function that makes the call in one thread at a time; errors name the call ``what``.

    It raises the exceptions of the call, and ``OutageError`` if an earlier call does not return within ``MOST_WAIT_S``.
    """
    lock = threading.Lock()

    def in_its_turn() -> T:
        if not lock.acquire(timeout=MOST_WAIT_S):
            raise OutageError(f"{what} has not returned since it was last called")
        try:
            return call()
        finally:
            lock.release()

    return in_its_turn
