"""Stops ``run``, or a command: with a handle, on any thread, or on SIGTERM and SIGINT.

The first signal starts an orderly stop. Supervisors may send a second SIGTERM within milliseconds, for example to the
process and to its process group. It must not interrupt the commit or the LeaveGroup, so it is ignored until the timeout
of the stop. A user can force the exit with another Ctrl-C, at least one second after the first signal.
"""

from __future__ import annotations

import asyncio
import atexit
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeAlias, TypeVar

from kafka_nextgen import clocks

__all__ = ["STOP_SIGNALS", "StopHandle", "stopped_by_signals"]

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)
#: A SIGINT this long (seconds) after the first signal is a second Ctrl-C, not the first one delivered twice.
SECOND_INTERRUPT_S = 1.0
#: How long (seconds) a stop may take by default: a commit within ``default.api.timeout.ms``, and ``close``.
STOP_TIMEOUT_S = 90.0

_Handler: TypeAlias = Callable[[int, FrameType | None], object] | int


class StopHandle:
    """Stops the ``run`` to which it was passed, in an orderly way. Can be used repeatedly, in any thread or handler."""

    def __init__(self) -> None:
        self._is_stopped = False  # no Event: a signal handler may run while its own thread holds the Event's lock

    def stop(self) -> None:
        """Request the stop; returns immediately."""
        self._is_stopped = True

    @property
    def is_stopped(self) -> bool:
        """Whether the stop was requested."""
        return self._is_stopped


_Handle = TypeVar("_Handle", bound=StopHandle)


@contextmanager
def stopped_by_signals(handle: _Handle, stop_timeout_s: float = STOP_TIMEOUT_S) -> Iterator[_Handle]:
    """Make SIGTERM and SIGINT stop ``handle`` inside the block, if this is the main thread (others get no signals).

    Existing handlers are called as well, and restored at the end. Their exceptions are raised at the end of the block,
    after the orderly stop. Without existing handlers, further signals do not end the process for some time, even just
    after the block: a SIGINT for one second, a SIGTERM for ``stop_timeout_s`` seconds. After that they have their usual
    effect.
    """
    if threading.current_thread() is not threading.main_thread():
        yield handle
        return
    stopper = _Stopper(handle, stop_timeout_s)
    try:
        stopper.install()
        yield handle
    finally:
        stopper.is_over = True  # first: if a signal handler raises in end(), signals still have their usual effect
        stopper.end()


class _Stopper:
    """The handler of both signals for one block. Blocks of several tasks may overlap, and end in any order."""

    def __init__(self, handle: StopHandle, stop_timeout_s: float) -> None:
        self._handle = handle
        self._patience_s = {signal.SIGINT: SECOND_INTERRUPT_S, signal.SIGTERM: stop_timeout_s}
        self._earlier: dict[signal.Signals, _Handler] = {}
        self._begun_at: float | None = None
        self.is_over = False
        self._raised: BaseException | None = None

    def install(self) -> None:
        """Replace the handlers, except those installed from C, which can't be restored."""
        for number in STOP_SIGNALS:
            earlier = signal.getsignal(number)
            if earlier is not None:
                self._earlier[number] = earlier
                signal.signal(number, self)

    def end(self) -> None:
        """Restore the handlers, except defaults after a signal, because the next signal may follow soon."""
        for number in self._earlier:
            earlier = self.handler_before(number)
            is_awaited = self._begun_at is not None and _ends_the_process(earlier)
            if is_awaited:
                atexit.register(self._ignore, number)
            elif signal.getsignal(number) is self:
                signal.signal(number, earlier)
        if self._raised is not None:
            raise self._raised

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self._begun_at is None and not self.is_over:
            self._begun_at = clocks.monotonic()
            self._handle.stop()
        earlier = self.handler_before(signal.Signals(number))
        if not self._is_patient_with(signal.Signals(number)):
            _act(earlier, number, frame)
        elif not _ends_the_process(earlier):
            self._call_and_keep_error(earlier, number, frame)

    def _ignore(self, number: signal.Signals) -> None:
        """Ignore the signal during Python's exit, because Python restores SIG_DFL before the process has ended."""
        if signal.getsignal(number) is self:
            signal.signal(number, signal.SIG_IGN)

    def _is_patient_with(self, number: signal.Signals) -> bool:
        return self._begun_at is not None and clocks.monotonic() - self._begun_at < self._patience_s[number]

    def _call_and_keep_error(self, earlier: _Handler, number: int, frame: FrameType | None) -> None:
        try:
            _act(earlier, number, frame)
        except BaseException as raised:  # sys.exit() in a handler must not interrupt the last commit
            if self.is_over:
                raise
            self._raised = raised

    def handler_before(self, number: signal.Signals) -> _Handler:
        """Return the handler from before this block, skipping blocks that were open then and have ended since."""
        earlier = self._earlier[number]
        return earlier.handler_before(number) if isinstance(earlier, _Stopper) and earlier.is_over else earlier


def _ends_the_process(handler: _Handler) -> bool:
    """Whether this is Python's default handler, or the SIGINT handler of ``asyncio.run`` since Python 3.11."""
    runner = getattr(asyncio, "Runner", None)
    of = getattr(getattr(handler, "func", None), "__self__", None)
    return handler in (signal.SIG_DFL, signal.default_int_handler) or (runner is not None and isinstance(of, runner))


def _act(handler: _Handler, number: int, frame: FrameType | None) -> None:
    """Do what the signal would do if this were its handler."""
    if callable(handler):
        handler(number, frame)
    elif handler == signal.SIG_DFL:
        signal.signal(number, handler)
        signal.raise_signal(number)
