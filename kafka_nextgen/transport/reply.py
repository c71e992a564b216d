"""An answer on its way, awaited by one task, which goes on at the very moment it comes.

A future wakes its task when the loop turns next, and a loop looks at all its sockets whenever it turns: where answers
come a thousand times a second, that is as much work as reading them. Here the task goes on inside of whoever brings
the answer, unless another task is running just then: one can't run inside another.

Tasks take whatever is like a future, as ``asyncio.isfuture`` tells (3.10 to 3.14 alike), and what they ask to be called
back with may be called by anybody who runs in no task. Where they take nothing but asyncio's own futures, the answer is
awaited by one of those.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from contextlib import suppress
from contextvars import Context
from typing import Generic, TypeVar

__all__ = ["Reply"]

T = TypeVar("T")


class Reply(Generic[T]):
    """Made and used on one event loop. A task that is cancelled while it awaits this cancels it."""

    #: By this asyncio's tasks know what they may wait for, and that they do.
    _asyncio_future_blocking = False

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._is_done = False
        self._result: T | None = None
        self._failure: BaseException | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._waiter: tuple[Callable[[Reply[T]], object], Context | None] | None = None

    def __await__(self) -> Generator[object, None, T]:
        if not self._is_done and TASKS_TAKE_IT:
            self._asyncio_future_blocking = True
            yield self
        elif not self._is_done:
            yield from self._by_a_future()
        return self.result()

    def _by_a_future(self) -> Generator[object, None, None]:
        future: asyncio.Future[None] = self._loop.create_future()
        self.add_done_callback(lambda _: None if future.done() else future.set_result(None))
        try:
            yield from future
        except asyncio.CancelledError:
            self.cancel()
            raise

    def done(self) -> bool:
        """Whether there is an answer, or none will come."""
        return self._is_done

    def result(self) -> T:
        """The answer; raises what came in place of one."""
        assert self._is_done, "nobody may ask before"
        if self._failure is not None:
            raise self._failure
        return self._result  # type: ignore[return-value]  # T may be optional

    def exception(self) -> BaseException | None:
        """What came in place of an answer, if anything."""
        return self._failure

    def fail_at(self, moment: float, failure: Callable[[], BaseException]) -> None:
        """Have this fail if there is no answer by then, on the loop's clock."""
        self.fail_never()
        self._timer = self._loop.call_at(moment, self._give_up, failure)

    @property
    def is_limited(self) -> bool:
        """Whether it will ``fail_at`` some moment."""
        return self._timer is not None

    def fail_never(self) -> None:
        """Undo ``fail_at``."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self, failure: Callable[[], BaseException]) -> None:
        if not self._is_done:
            self.set_exception(failure())

    def set_result(self, result: T) -> None:
        """The answer is here."""
        self._result = result
        self._settle(at_once=asyncio.current_task(self._loop) is None)

    def set_exception(self, failure: BaseException) -> None:
        """There will be none. Whoever awaits it hears of it when all is cleared up that has to do with it."""
        self._failure = failure
        self._settle(at_once=False)

    def end(self: Reply[None], failure: BaseException | None = None) -> None:
        """What was waited for is over, or failed; nothing if nobody waits any more."""
        if self._is_done:
            return
        if failure is None:
            self.set_result(None)
        else:
            self.set_exception(failure)

    def end_from_thread(self: Reply[None], failure: BaseException | None = None) -> None:
        """Have its loop ``end`` this; from any thread."""
        with suppress(RuntimeError):  # the loop was closed: nobody waits there any more
            self._loop.call_soon_threadsafe(self.end, failure)

    def cancel(self, msg: object = None) -> bool:
        """Nobody wants the answer any more; False if it came before. Called by asyncio too."""
        if self._is_done:
            return False
        self._failure = asyncio.CancelledError() if msg is None else asyncio.CancelledError(msg)
        self._settle(at_once=False)
        return True

    def _settle(self, at_once: bool) -> None:
        assert not self._is_done, "it was settled before"
        self._is_done = True
        self.fail_never()
        if self._waiter is None:
            return
        (wake, context), self._waiter = self._waiter, None
        if at_once and context is not None:
            context.run(wake, self)
        else:
            self._loop.call_soon(wake, self, context=context)

    # ---- for asyncio's tasks

    def get_loop(self) -> asyncio.AbstractEventLoop:
        """The loop it belongs to."""
        return self._loop

    def add_done_callback(self, wake: Callable[[Reply[T]], object], *, context: Context | None = None) -> None:
        """Have the task that awaits this wake up."""
        assert self._waiter is None, "one task awaits it"
        self._waiter = wake, context


#: Whether this asyncio's tasks can await it themselves.
TASKS_TAKE_IT = asyncio.isfuture(Reply.__new__(Reply))
