"""Background work: tasks that restart after an unexpected exception, and blocking calls in daemon threads."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from kafka_nextgen.logs import logger_of

__all__ = [
    "PAUSE_S",
    "OnFailure",
    "in_daemon_thread",
    "keep_running",
    "log_failure",
    "run_and_hold_outcome",
    "threads_work",
    "watch_work",
]

logger = logger_of(__name__)

#: Seconds until a task that failed unexpectedly restarts.
PAUSE_S = 1.0

#: Called with an unexpected exception.
OnFailure = Callable[[Exception], None]

T = TypeVar("T")


def log_failure(failure: Exception) -> None:
    """Log an unexpected exception with its traceback."""
    logger.error("failed unexpectedly: %s", type(failure).__name__, exc_info=failure)


async def keep_running(work: Callable[[], Coroutine[object, object, None]], on_failure: OnFailure) -> None:
    """Run ``work`` until it returns; after an exception, call ``on_failure`` and run it again."""
    while True:
        try:
            return await work()
        except Exception as failure:
            on_failure(failure)
        await asyncio.sleep(PAUSE_S)


def in_daemon_thread(work: Callable[[], T], name: str) -> asyncio.Future[T]:
    """Run blocking ``work`` in a thread with this name; the future gets the outcome unless the loop is closed first.

    The interpreter waits at exit for the threads of asyncio's executor, but not for daemon threads: a name server that
    does not answer must not delay the exit.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def run() -> None:
        set_outcome = run_and_hold_outcome(work, future)
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(set_outcome)

    watch_work(future)
    threading.Thread(target=run, name=name, daemon=True).start()
    return future


def watch_work(future: asyncio.Future[Any]) -> None:
    """Inform a loop with a simulated clock that a thread is working for it until ``future`` is done."""
    watch = getattr(future.get_loop(), "watch", None)
    if watch is not None:
        watch(future)


@contextmanager
def threads_work() -> Iterator[None]:
    """Do the same as ``watch_work``, until the block ends."""
    work = asyncio.get_running_loop().create_future()
    watch_work(work)
    try:
        yield
    finally:
        work.cancel()


def run_and_hold_outcome(work: Callable[[], T], future: asyncio.Future[T]) -> Callable[[], None]:
    """Run ``work`` now. Return a function that, when called on the loop, sets the outcome on ``future``."""
    try:
        value = work()
    except BaseException as error:  # a future must not hold a SystemExit or KeyboardInterrupt
        failure = error if isinstance(error, Exception) else RuntimeError(f"it ended with {type(error).__name__}")
        return lambda: None if future.done() else future.set_exception(failure)
    return lambda: None if future.done() else future.set_result(value)
