"""Sleeping until a future has ended, and never for long at once.

CPython runs a signal's handler in the main thread, between two instructions. A signal wakes that thread, too, but not
one that comes when it is just falling asleep, or that the system gives to another thread: its handler runs when the
main thread wakes for another reason. On Windows no signal wakes it.
"""

from __future__ import annotations

import time
from concurrent import futures
from concurrent.futures import Future
from typing import Any

__all__ = ["LONGEST_SLEEP_S", "sleep_until_ended"]

#: How long (seconds) at once, and so how late a handler may run.
LONGEST_SLEEP_S = 1.0


def sleep_until_ended(future: Future[Any], at_most_s: float) -> bool:
    """Sleep until ``future`` has ended, at most so many seconds; whether it has."""
    deadline = time.monotonic() + at_most_s
    while not future.done() and (left_s := deadline - time.monotonic()) > 0:
        futures.wait([future], min(left_s, LONGEST_SLEEP_S))
    return future.done()
