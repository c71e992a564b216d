"""Waiting for what runs on the I/O thread, blocking or awaiting.

The work keeps its own time. What a blocking caller adds only catches a thread that is stuck.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import CancelledError, Future
from typing import TypeVar

from kafka_nextgen.engine.sleeping import sleep_until_ended
from kafka_nextgen.errors import KafkaNextgenError, MisuseError, RequestTimeoutError

__all__ = ["HANDSHAKE_LIMIT_S", "acknowledged", "answer", "answer_to", "is_outcome"]

T = TypeVar("T")

#: The I/O thread answers what needs no broker in far less; this much (seconds) means that it is stuck.
HANDSHAKE_LIMIT_S = 10.0


def answer(future: Future[T], limit_s: float = 0.0) -> T:
    """Block until the work is done, which limits itself to ``limit_s`` seconds; its result or its error."""
    if not sleep_until_ended(future, limit_s + HANDSHAKE_LIMIT_S) and future.cancel():
        raise _stuck()
    try:
        return future.result()
    except CancelledError:
        raise _closed_meanwhile() from None


async def answer_to(future: Future[T]) -> T:
    """Await the work's result or its error. Whoever is cancelled here cancels the work."""
    return await _settled(asyncio.wrap_future(future), None)


async def acknowledged(future: Future[None]) -> None:
    """Await the work's end. Whoever is cancelled here leaves the work going on: it must not be lost."""
    await _settled(asyncio.shield(asyncio.wrap_future(future)), HANDSHAKE_LIMIT_S)


def is_outcome(error: Exception, future: Future[None]) -> bool:
    """Whether ``error`` is how the work ended, or of this library; any other was raised by a signal handler."""
    if isinstance(error, KafkaNextgenError):
        return True
    return future.done() and not future.cancelled() and future.exception() is error


async def _settled(waiter: asyncio.Future[T], limit_s: float | None) -> T:
    """The waiter's result; a future that was cancelled at the other end is not a cancellation of this task."""
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
