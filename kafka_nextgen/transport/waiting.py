"""Waiting on an event loop: deadlines, timers, and the future of a reply.

Waiting for a future never cancels it: several callers may share it, and a late answer still has to be matched and
discarded. If the callback of a timer raises, the loop's exception handler gets the error and the timer is set again,
since the callback may have failed before it set the timer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from contextvars import Context
from math import inf
from typing import Any, TypeVar

from kafka_nextgen import clocks
from kafka_nextgen.errors import DisconnectedError, RequestTimeoutError

__all__ = ["ClosedError", "Deadline", "EagerFuture", "LazyTimer", "Timer", "wait_for_event"]

T = TypeVar("T")

#: Seconds until a timer's callback that raised is called again.
RETRY_S = 1.0


class ClosedError(DisconnectedError):
    """This client was closed; retrying would not help."""


class EagerFuture(asyncio.Future[T]):
    """A future for one task, which resumes as soon as the result is set.

    asyncio wakes the task of a future in the next iteration of the loop, which first polls all sockets. At a thousand
    replies a second, that costs as much as reading them. This future resumes its task inside ``set_result``, unless
    another task is running: asyncio does not allow one task to run inside another.
    """

    _waiter: tuple[Callable[[EagerFuture[T]], object], Context | None] | None = None
    _timer: asyncio.TimerHandle | None = None

    def add_done_callback(self, wake: Callable[[EagerFuture[T]], object], *, context: Context | None = None) -> None:
        """Call ``wake`` when this future is done; only one task may wait. asyncio's tasks call this."""
        assert self._waiter is None, "only one task may wait"
        self._waiter = wake, context

    def set_result(self, result: T) -> None:
        """Set the result, and resume the task immediately if no other task is running."""
        super().set_result(result)
        self._wake(at_once=asyncio.current_task(self._loop) is None)

    def set_exception(self, failure: BaseException) -> None:  # type: ignore[override]  # never a class
        """Set an exception. The task resumes in the next iteration, since the caller may have to clean up first."""
        super().set_exception(failure)
        self.exception()  # without this, asyncio would log it if the task has left
        self._wake(at_once=False)

    def cancel(self, msg: Any = None) -> bool:
        """Cancel unless done; returns whether this call cancelled it. asyncio calls this too."""
        is_cancelled = super().cancel(msg)
        self._wake(at_once=False)  # also a task that still waits although the future is done: see ``end``
        return is_cancelled

    def _wake(self, at_once: bool) -> None:
        if self._timer is not None:
            self.cancel_timeout()
        if self._waiter is None:
            return
        (wake, context), self._waiter = self._waiter, None
        if at_once and context is not None:
            context.run(wake, self)
        else:
            self._loop.call_soon(wake, self, context=context)

    def fail_at(self, moment: float, failure: Callable[[], BaseException]) -> None:
        """Fail at ``moment`` on the loop's clock, unless done by then; replaces an earlier ``moment``."""
        self.cancel_timeout()
        self._timer = self._loop.call_at(moment, lambda: None if self.done() else self.set_exception(failure()))

    def cancel_timeout(self) -> None:
        """Undo ``fail_at``."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def end(self: EagerFuture[None], failure: BaseException | None = None) -> None:
        """Set None or an exception, unless done.

        A signal handler may have raised after the result was set and before the task was woken: this call wakes it.
        """
        if self.done():
            self._wake(at_once=False)
        elif failure is None:
            self.set_result(None)
        else:
            self.set_exception(failure)

    def end_from_thread(self: EagerFuture[None], failure: BaseException | None = None) -> None:
        """Schedule ``end`` on the loop. May be called from any thread."""
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self.end, failure)


class Deadline:
    """A time on the running loop's clock, ``timeout_s`` from now. ``what`` is formatted only if an error needs it."""

    def __init__(self, timeout_s: float, what: object) -> None:
        self._loop = asyncio.get_running_loop()
        self._timeout_s = timeout_s
        #: On the loop's clock.
        self.at = self._loop.time() + timeout_s
        self._what = what
        self._last_failure: object = None

    def restart(self, now: float) -> None:
        """Restart the full timeout from ``now``, on the loop's clock."""
        self.at = now + self._timeout_s

    def left_s(self, now: float | None = None) -> float:
        """Seconds left, never negative; ``now`` avoids reading the loop's clock."""
        return max(0.0, self.at - (self._loop.time() if now is None else now))

    def missed(self, last_failure: object = None) -> RequestTimeoutError:
        """The error for a deadline that passed; ``last_failure`` becomes its cause if it is an exception."""
        because = "" if last_failure is None else f"; the last failure was: {last_failure}"
        error = RequestTimeoutError(f"{self._what}: timed out after {self._timeout_s:g} s{because}")
        error.__cause__ = last_failure if isinstance(last_failure, Exception) else None
        return error

    async def wait(self, future: asyncio.Future[T], last_failure: object = None) -> T:
        """Wait for a shared future. Raises ``RequestTimeoutError``, or the future's exception."""
        await asyncio.wait({future}, timeout=self.left_s())
        if not future.done():
            raise self.missed(last_failure)
        if future.cancelled():
            raise ClosedError(f"{self._what}: closed by this client")
        return future.result()

    def limit(self, reply: EagerFuture[T], why: Callable[[], object] = lambda: None) -> None:
        """Fail ``reply`` with ``RequestTimeoutError`` at this deadline; ``why`` is called for the cause."""
        reply.fail_at(self.at, lambda: self.missed(why()))

    async def pause(self, delay_s: float, last_failure: object = None) -> None:
        """Sleep; raises ``RequestTimeoutError`` immediately if the deadline would pass during the sleep.

        The error names the last failure. An attempt that ended because the deadline had passed explains nothing: then
        it is the failure of an earlier pause.
        """
        left_s = self.left_s()
        if delay_s >= left_s:
            is_cut_off = left_s == 0 and isinstance(last_failure, RequestTimeoutError)
            raise self.missed((self._last_failure or last_failure) if is_cut_off else last_failure)
        self._last_failure = last_failure or self._last_failure
        await asyncio.sleep(delay_s)


async def wait_for_event(event: asyncio.Event, timeout_s: float) -> bool:
    """Wait for an event, at most ``timeout_s`` seconds; returns whether it is set.

    Before Python 3.12, ``asyncio.wait_for`` loses a cancellation that arrives together with the event.
    """
    waiting = asyncio.ensure_future(event.wait())
    try:
        await asyncio.wait([waiting], timeout=timeout_s)
    finally:
        waiting.cancel()
    return event.is_set()


class Timer:
    """Calls ``callback`` once. Setting the timer replaces the time that was set before."""

    def __init__(self, callback: Callable[[], object]) -> None:
        self._callback = callback
        self._handle: asyncio.TimerHandle | None = None

    @property
    def is_set(self) -> bool:
        """Whether a call is scheduled."""
        return self._handle is not None

    def set(self, moment: float | None) -> None:
        """Call back at ``moment`` (seconds, monotonic), or soon if that has passed; None cancels the timer."""
        self.set_after(None if moment is None else moment - clocks.monotonic())

    def set_after(self, delay_s: float | None) -> None:
        """Call back after ``delay_s``, or soon if that is negative; None cancels the timer."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None
        if delay_s is not None:
            self._handle = asyncio.get_running_loop().call_later(max(0.0, delay_s), self._fire)

    def _fire(self) -> None:
        self._handle = None
        try:
            self._callback()
        except Exception:
            if self._handle is None:
                self.set_after(RETRY_S)
            raise


class LazyTimer:
    """A timer for deadlines that change thousands of times a second: moving a deadline to a later time costs nothing.

    It fires no later than the earliest deadline that was set, and often too early. ``callback`` gets the time on the
    loop's clock for which the timer was set, checks what is due, and sets the next deadline.
    """

    def __init__(self, callback: Callable[[float], object]) -> None:
        #: The time at which it fires next: infinity if it is not set, minus infinity once it is stopped.
        self.at = inf
        self._callback = callback
        self._loop = asyncio.get_running_loop()
        self._handle: asyncio.TimerHandle | None = None

    def fire_by(self, deadline: float) -> None:
        """Fire at ``deadline`` (the loop's clock) or earlier, unless the timer is stopped."""
        if deadline < self.at:
            self._cancel()
            self.at = deadline
            self._handle = self._loop.call_at(deadline, self._fire)

    def stop(self) -> None:
        """Never fire again."""
        self._cancel()
        self.at = -inf

    def _cancel(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def _fire(self) -> None:
        at, self.at, self._handle = self.at, inf, None
        try:
            self._callback(at)
        except Exception:
            self.fire_by(self._loop.time() + RETRY_S)
            raise
