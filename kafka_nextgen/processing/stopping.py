"""Asking for the end of ``run``, or of a command: by a handle, from anywhere, or by SIGTERM and SIGINT."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["STOP_SIGNALS", "StopHandle", "stopped_by_signals"]

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class StopHandle:
    """Ends the ``run`` it was given to, cleanly. May be used from any thread, from a handler, and more than once."""

    def __init__(self) -> None:
        self._is_stopped = False  # no Event: a signal handler may run while its own thread holds the Event's lock

    def stop(self) -> None:
        """Ask for the end; returns at once."""
        self._is_stopped = True

    @property
    def is_stopped(self) -> bool:
        """Whether somebody asked for the end."""
        return self._is_stopped


@contextmanager
def stopped_by_signals(handle: StopHandle) -> Iterator[StopHandle]:
    """Let SIGTERM and SIGINT stop ``handle`` inside the block, if this is the main thread (others get no signals).

    A second signal of the same kind acts as it did before, so that whoever insists gets out at once.
    """
    if threading.current_thread() is not threading.main_thread():
        yield handle
        return
    earlier = {number: signal.getsignal(number) for number in STOP_SIGNALS}

    def note(number: int, frame: FrameType | None) -> None:
        handle.stop()
        signal.signal(number, earlier[signal.Signals(number)])

    for number in STOP_SIGNALS:
        signal.signal(number, note)
    try:
        yield handle
    finally:
        for number, handler in earlier.items():
            signal.signal(number, handler)
