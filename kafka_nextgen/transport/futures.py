"""Waits for work on the I/O thread, blocking or awaiting, so that signal handlers can interrupt the wait.

CPython runs a signal's handler in the main thread, between two instructions. A signal wakes that thread, but not if it
comes just as the thread falls asleep, or if the system delivers it to another thread: the handler then runs when the
main thread wakes for another reason. On Windows no signal wakes it. So every wait consists of short sleeps.

A handler may also raise. If that happens while a ``threading.Condition`` is entered or left, which runs Python code,
its lock is never released and the I/O thread blocks on it. So futures of that thread wait without a condition.
"""

from __future__ import annotations

import asyncio
import math
import threading
from concurrent.futures import CancelledError, Future, TimeoutError
from typing import Any, TypeVar

from kafka_nextgen import clocks
from kafka_nextgen.errors import KafkaNextgenError, MisuseError, RequestTimeoutError

__all__ = [
    "HANDSHAKE_LIMIT_S",
    "LONGEST_SLEEP_S",
    "SafeFuture",
    "await_completion",
    "await_result",
    "is_outcome",
    "sleep_until_ended",
    "wait_for_result",
]

T = TypeVar("T")

#: The longest sleep (seconds), and so the longest delay of a signal handler.
LONGEST_SLEEP_S = 1.0


class _Condition(type(threading.RLock())):  # type: ignore[misc]
    """A lock that ``with`` acquires and releases atomically, even if a handler raises. Nothing waits for it."""

    def notify_all(self) -> None:
        """Do nothing: waiters use the callbacks of a future."""


class SafeFuture(Future[T]):
    """A future whose lock is always released, even if a signal handler raises."""

    def __init__(self) -> None:
        super().__init__()
        self._condition = _Condition()

    def result(self, timeout: float | None = None) -> T:
        """Wait, at most ``timeout`` seconds, and return the result or raise the error."""
        self._wait(timeout)
        return super().result(0)

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """Wait, at most ``timeout`` seconds, and return the error or None."""
        self._wait(timeout)
        return super().exception(0)

    def _wait(self, timeout: float | None) -> None:
        if not sleep_until_ended(self, math.inf if timeout is None else timeout):
            raise TimeoutError


def sleep_until_ended(future: Future[Any], at_most_s: float) -> bool:
    """Sleep until ``future`` has ended, at most this many seconds; returns whether it has ended."""
    if future.done():
        return True
    deadline = clocks.monotonic() + at_most_s
    ended = threading.Lock()
    ended.acquire()
    future.add_done_callback(lambda _: ended.release())
    while not future.done() and (left_s := deadline - clocks.monotonic()) > 0:
        ended.acquire(timeout=min(left_s, LONGEST_SLEEP_S))
    return future.done()


#: The longest time (seconds) the I/O thread takes for work that needs no broker; after that it is considered stuck.
HANDSHAKE_LIMIT_S = 10.0


def wait_for_result(future: Future[T], limit_s: float = 0.0) -> T:
    """Block until work that takes at most ``limit_s`` seconds is done; returns its result or raises its error."""
    if not sleep_until_ended(future, limit_s + HANDSHAKE_LIMIT_S) and future.cancel():
        raise _stuck()
    try:
        return future.result()
    except CancelledError:
        raise _closed_meanwhile() from None


async def await_result(future: Future[T]) -> T:
    """Await the result or error of work; cancelling this cancels the work."""
    return await _settled(asyncio.wrap_future(future), None)


async def await_completion(future: Future[None]) -> None:
    """Await the end of work; cancelling this does not cancel the work."""
    await _settled(asyncio.shield(asyncio.wrap_future(future)), HANDSHAKE_LIMIT_S)


def is_outcome(error: Exception, future: Future[None]) -> bool:
    """Whether the work or this library raised ``error``; any other error comes from a signal handler."""
    if isinstance(error, KafkaNextgenError):
        return True
    return future.done() and not future.cancelled() and future.exception() is error


async def _settled(waiter: asyncio.Future[T], limit_s: float | None) -> T:
    """The waiter's result; if the other side cancelled the future, this task is not cancelled."""
    try:
        await asyncio.wait([waiter], timeout=limit_s)
    finally:
        is_done = waiter.done()
        waiter.cancel()
    if not is_done:
        raise _stuck()
    if waiter.cancelled():
        raise _closed_meanwhile()
    return waiter.result()


def _stuck() -> RequestTimeoutError:
    return RequestTimeoutError("the consumer's I/O thread did not answer in time")


def _closed_meanwhile() -> MisuseError:
    return MisuseError("this consumer was closed during the call")
