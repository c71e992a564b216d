"""A future for one task, which resumes as soon as the result is set.

An asyncio future wakes its task in the next iteration of the loop, which first polls all sockets. At a thousand replies
a second, that costs as much as reading them. This future resumes its task inside ``set_result``, unless another task is
running: asyncio does not allow one task to run inside another.

Tasks await any object for which ``asyncio.isfuture`` is true (Python 3.10 to 3.14), and any code outside a task may
call their wake-up callbacks. On an event loop whose tasks take only asyncio's own futures, the result is awaited
through one of those.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from contextlib import suppress
from contextvars import Context
from typing import Generic, TypeVar

__all__ = ["EagerFuture"]

T = TypeVar("T")


class EagerFuture(Generic[T]):
    """Belongs to one event loop. A task that is cancelled while it awaits this future cancels it."""

    #: asyncio's tasks recognise a future by this attribute, and set it while they wait.
    _asyncio_future_blocking = False

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._is_done = False
        self._result: T | None = None
        self._failure: BaseException | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._waiter: tuple[Callable[[EagerFuture[T]], object], Context | None] | None = None

    def __await__(self) -> Generator[object, None, T]:
        if not self._is_done and TASKS_TAKE_IT:
            self._asyncio_future_blocking = True
            yield self
        elif not self._is_done:
            yield from self._await_asyncio_future()
        return self.result()

    def _await_asyncio_future(self) -> Generator[object, None, None]:
        future: asyncio.Future[None] = self._loop.create_future()
        self.add_done_callback(lambda _: None if future.done() else future.set_result(None))
        try:
            yield from future
        except asyncio.CancelledError:
            self.cancel()
            raise

    def done(self) -> bool:
        """Whether there is a result, an exception or a cancellation."""
        return self._is_done

    def result(self) -> T:
        """The result of a future that is done; raises its exception."""
        assert self._is_done
        if self._failure is not None:
            raise self._failure
        return self._result  # type: ignore[return-value]  # T may be optional

    def exception(self) -> BaseException | None:
        """The exception that was set, if any."""
        return self._failure

    def fail_at(self, moment: float, failure: Callable[[], BaseException]) -> None:
        """Fail at ``moment`` on the loop's clock, unless done by then; replaces a ``moment`` set before."""
        self.cancel_timeout()
        self._timer = self._loop.call_at(moment, self._time_out, failure)

    def cancel_timeout(self) -> None:
        """Undo ``fail_at``."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _time_out(self, failure: Callable[[], BaseException]) -> None:
        if not self._is_done:
            self.set_exception(failure())

    def set_result(self, result: T) -> None:
        """Set the result, and resume the task at once if no other task is running."""
        self._result = result
        self._finish(at_once=asyncio.current_task(self._loop) is None)

    def set_exception(self, failure: BaseException) -> None:
        """Set an exception. The task resumes in the next iteration, since the caller may have to clean up first."""
        self._failure = failure
        self._finish(at_once=False)

    def end(self: EagerFuture[None], failure: BaseException | None = None) -> None:
        """Set None or an exception, unless done."""
        if self._is_done:
            return
        if failure is None:
            self.set_result(None)
        else:
            self.set_exception(failure)

    def end_from_thread(self: EagerFuture[None], failure: BaseException | None = None) -> None:
        """Schedule ``end`` on the loop. May be called from any thread."""
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self.end, failure)

    def cancel(self, msg: object = None) -> bool:
        """Cancel unless done; returns whether this call cancelled it. asyncio calls this too."""
        if self._is_done:
            return False
        self._failure = asyncio.CancelledError() if msg is None else asyncio.CancelledError(msg)
        self._finish(at_once=False)
        return True

    def _finish(self, at_once: bool) -> None:
        assert not self._is_done
        self._is_done = True
        self.cancel_timeout()
        if self._waiter is None:
            return
        (wake, context), self._waiter = self._waiter, None
        if at_once and context is not None:
            context.run(wake, self)
        else:
            self._loop.call_soon(wake, self, context=context)

    # ---- for asyncio's tasks

    def get_loop(self) -> asyncio.AbstractEventLoop:
        """The loop this future belongs to."""
        return self._loop

    def add_done_callback(self, wake: Callable[[EagerFuture[T]], object], *, context: Context | None = None) -> None:
        """Call ``wake`` when this future is done; only one task may wait."""
        assert self._waiter is None, "only one task may wait"
        self._waiter = wake, context


#: Whether tasks of this asyncio can await it directly.
TASKS_TAKE_IT = asyncio.isfuture(EagerFuture.__new__(EagerFuture))
