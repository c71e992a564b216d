"""A clean end on SIGINT and SIGTERM: the work at hand is finished, then the command stops."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from attrs import define

__all__ = ["STOP_SIGNALS", "StopRequest", "stop_on_signals"]

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@define
class StopRequest:
    """Whether somebody asked for the end."""

    requested: bool = False


@contextmanager
def stop_on_signals() -> Iterator[StopRequest]:
    """Note SIGINT and SIGTERM inside the block instead of dying of them.

    A second signal acts as it always did, so whoever presses Ctrl-C twice gets out at once.
    """
    request = StopRequest()
    earlier = {number: signal.getsignal(number) for number in STOP_SIGNALS}

    def note(number: int, frame: FrameType | None) -> None:
        request.requested = True
        signal.signal(number, earlier[signal.Signals(number)])

    for number in STOP_SIGNALS:
        signal.signal(number, note)
    try:
        yield request
    finally:
        for number, handler in earlier.items():
            signal.signal(number, handler)
