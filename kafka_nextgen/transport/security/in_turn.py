"""Calls that may block for ever, made by one thread at a time.

Each attempt to connect asks for a password or reads files in a thread of its own, which goes on after the attempt's
deadline. A vault or a file server that never answers would so collect threads.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from kafka_nextgen.errors import OutageError

__all__ = ["MOST_WAIT_S", "in_turn"]

#: How long (seconds) others wait for a call.
MOST_WAIT_S = 30.0

T = TypeVar("T")


def in_turn(call: Callable[[], T], what: str) -> Callable[[], T]:
    """Return a function that makes the call, which is ``what`` in errors, in one thread at a time.

    It raises what the call raises, and ``OutageError`` if an earlier call does not return within ``MOST_WAIT_S``.
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
