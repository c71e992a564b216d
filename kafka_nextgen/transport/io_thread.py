"""One daemon thread with one event loop for each consumer or other owner of connections, and the tasks on it.

Heartbeats are sent from here, so they do not depend on the application's thread or its event loop. The application
submits coroutines; the thread puts callbacks and errors for it into the ``Mailbox``. Every future returned by
``submit`` is done when the thread ends, so no caller waits forever.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections import deque
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar

from kafka_nextgen.errors import MisuseError
from kafka_nextgen.transport.background import OnFailure, keep_running
from kafka_nextgen.transport.futures import SafeFuture
from kafka_nextgen.transport.native_threads import check_native_threads, threads_are_frozen
from kafka_nextgen.transport.private_loop import new_private_loop
from kafka_nextgen.transport.turned_clock import Clock

__all__ = ["InFlight", "IoThread", "TaskSet"]

T = TypeVar("T")

#: How many submitted coroutines start in one iteration of the loop: a few milliseconds of work.
_BEGIN_IN_A_TURN = 100
#: How long (seconds) to wait for a thread that failed to start.
_GIVING_UP_S = 1.0


class IoThread:
    """Owns the event loop. Any thread of the process that created it can use it; it is unusable after a fork.

    ``on_failure`` gets exceptions from callbacks on the loop, which would be lost otherwise. ``owner`` is the owner's
    name in errors. The thread uses ``clock``, or the system's clock. Raises MisuseError if threads are not native
    (gevent, eventlet).
    """

    def __init__(
        self,
        name: str,
        on_failure: Callable[[Exception], None],
        owner: str = "consumer",
        clock: Clock | None = None,
    ) -> None:
        check_native_threads(owner)
        self._owner = owner
        self._pid = os.getpid()
        self._on_failure = on_failure
        self._lock = threading.RLock()  # reentrant: a signal handler may submit work while the lock is held
        self._accepts = True
        self._loop = new_private_loop(clock)
        self._loop.set_exception_handler(self._note_failure)
        self._ended: asyncio.Future[None] = self._loop.create_future()
        self._ending: asyncio.Task[None] | None = None
        self._to_begin: deque[Callable[[], None]] = deque()  # submitted work; only the loop reads it
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def begin_with(self, work: Coroutine[object, object, T]) -> T:
        """Run the first work, which sets up the owner, and wait for it; the thread ends if it fails."""
        try:
            return self.submit(work).result()
        except BaseException:
            self.stop(_GIVING_UP_S)
            raise

    def submit(self, work: Coroutine[object, object, T]) -> Future[T]:
        """Run a coroutine on the loop; the future gets its result, and cancelling the future cancels the work.

        Raises MisuseError if the owner is closed or was created before a fork, or if the interpreter is shutting down.
        """
        try:
            self.check_usable()
            with self._lock:
                if self._accepts:
                    return self._hand_over(work)
            raise self._closed()
        except MisuseError:
            work.close()
            raise

    def call(self, work: Callable[[], T]) -> Future[T]:
        """Call ``work`` on the loop, in submission order; the future gets its result."""
        return self.submit(_call(work))

    def _hand_over(self, work: Coroutine[object, object, T]) -> Future[T]:
        """Like ``asyncio.run_coroutine_threadsafe``, with a future that a signal handler can't leave locked."""
        future: Future[T] = SafeFuture()

        def begin() -> None:
            task = self._loop.create_task(work)
            task.add_done_callback(lambda _: _complete(future, task))
            future.add_done_callback(lambda _: self.call_soon(task.cancel) if future.cancelled() else None)

        self._loop.call_soon_threadsafe(self._begin_soon, begin)
        return future

    def _begin_soon(self, begin: Callable[[], None]) -> None:
        """Start work in a later iteration, in order, so that thousands of submissions do not delay a heartbeat."""
        if not self._to_begin:
            self._loop.call_soon(self._begin_some)
        self._to_begin.append(begin)

    def _begin_some(self) -> None:
        self._begin(_BEGIN_IN_A_TURN)
        if self._to_begin:
            self._loop.call_soon(self._begin_some)

    def _begin(self, most: int) -> None:
        for _ in range(min(most, len(self._to_begin))):
            self._to_begin.popleft()()

    def call_soon(self, callback: Callable[[], object]) -> None:
        """Schedule a plain callable to run soon on the loop; does nothing once the thread has stopped."""
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(callback)

    def call_after_submitted(self, callback: Callable[[], object]) -> None:
        """Run a callable on the loop once everything submitted earlier has started."""
        self.call_soon(lambda: self._call_after_begun(callback))

    def _call_after_begun(self, callback: Callable[[], object]) -> None:
        self._begin(len(self._to_begin))
        self._loop.call_soon(callback)

    @property
    def is_foreign(self) -> bool:
        """Whether this process was forked from the process that created the thread."""
        return os.getpid() != self._pid

    @property
    def is_frozen(self) -> bool:
        """Whether the interpreter is shutting down, so that daemon threads such as this one no longer run."""
        return threads_are_frozen() and not self.has_ended

    @property
    def has_ended(self) -> bool:
        """Whether the thread no longer accepts work."""
        return not self._accepts

    def check_usable(self) -> None:
        """Raise MisuseError if this is not the process that created the thread, or if the thread has stopped."""
        if os.getpid() != self._pid or not self._accepts or threads_are_frozen():
            self.refuse_foreign()
            raise self._closed() if not self._accepts else self._frozen()

    def refuse_foreign(self) -> None:
        """Raise MisuseError if this is not the process that created the thread."""
        if self.is_foreign:
            raise MisuseError(f"this {self._owner} was created before a fork; create a new one in the child process")

    def stop(self, timeout_s: float) -> None:
        """End the loop after the current callback, and wait for the thread up to ``timeout_s`` seconds."""
        if not (self.is_foreign or threads_are_frozen()):
            self.call_soon(self.end)
            self._thread.join(timeout_s)

    def end(self) -> None:
        """End the loop after the current callback; call this only on the loop."""
        if not self._ended.done():  # a second call must not interrupt the cancellation
            self._ended.set_result(None)

    def end_after(self, work: Callable[[], Coroutine[object, object, None]]) -> None:
        """Run ``work`` on the loop, then end; does nothing once the thread has stopped."""
        self.call_soon(lambda: self._begin_to_end(work))

    def _begin_to_end(self, work: Callable[[], Coroutine[object, object, None]]) -> None:
        self._ending = asyncio.ensure_future(self._end_after(work))  # the loop alone does not keep a task alive

    async def _end_after(self, work: Callable[[], Coroutine[object, object, None]]) -> None:
        try:
            await work()
        except Exception as failure:
            self._on_failure(failure)
        finally:
            self.end()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._ended)
        finally:
            with self._lock:
                self._accepts = False
            self._loop.run_until_complete(self._cancel_everything())
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()

    async def _cancel_everything(self) -> None:
        await asyncio.sleep(0)
        self._begin(len(self._to_begin))  # the last submissions become tasks here, and are cancelled like the others
        while tasks := asyncio.all_tasks() - {asyncio.current_task()}:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0)  # completes their futures

    def _note_failure(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, Exception):
            self._on_failure(error)
        else:
            loop.default_exception_handler(context)

    def _frozen(self) -> MisuseError:
        return MisuseError(f"the interpreter is shutting down, which stops the I/O thread of this {self._owner}")

    def _closed(self) -> MisuseError:
        return MisuseError(f"this {self._owner} is closed")


async def _call(work: Callable[[], T]) -> T:
    return work()


def _complete(future: Future[T], task: asyncio.Task[T]) -> None:
    """Copy the outcome of the task to the future."""
    if task.cancelled():
        future.cancel()
    if not future.set_running_or_notify_cancel():
        return
    error = task.exception()
    if error is None:
        future.set_result(task.result())
    else:
        future.set_exception(error)


class TaskSet:
    """Background tasks; unexpected exceptions go to ``on_failure``."""

    def __init__(self, on_failure: OnFailure) -> None:
        self._on_failure = on_failure
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[object, object, None]) -> asyncio.Task[None]:
        """Run ``work`` in the background."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)
        return task

    def keep(self, work: Callable[[], Coroutine[object, object, None]]) -> asyncio.Task[None]:
        """Run ``work`` in the background until it returns; an exception is reported, then the work restarts."""
        return self.start(keep_running(work, self._on_failure))

    def repeat(self, work: Callable[[], None], interval_s: float) -> None:
        """Call ``work`` every ``interval_s`` seconds; an exception is reported and does not end the calls."""
        self.keep(lambda: _repeat(work, interval_s))

    async def cancel_all(self) -> None:
        """Cancel all running tasks and wait until they have ended."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            error = task.exception()
            if isinstance(error, Exception):
                self._on_failure(error)


async def _repeat(work: Callable[[], None], interval_s: float) -> None:
    while True:
        await asyncio.sleep(interval_s)
        work()


class InFlight:
    """The calls in progress; each runs in its caller's task."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    async def do(self, work: Callable[[], Coroutine[object, object, T]]) -> T:
        """Run ``work``, which counts as in progress until it ends."""
        task = asyncio.current_task()
        assert task is not None, "work must run in a task"
        self._tasks.add(task)
        try:
            return await work()
        finally:
            self._tasks.discard(task)

    async def wait(self, timeout_s: float) -> None:
        """Wait until the calls now in progress have ended, at most ``timeout_s`` seconds."""
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=timeout_s)

    def cancel(self, grace_s: float = 0.0) -> None:
        """Cancel the calls now in progress that do not end within ``grace_s`` seconds."""
        for task in tuple(self._tasks):
            if grace_s > 0:
                asyncio.get_running_loop().call_later(grace_s, task.cancel)
            else:
                task.cancel()
