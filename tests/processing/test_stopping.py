"""The end is asked for by a handle, or by a signal."""

from __future__ import annotations

import os
import signal
import threading
from types import FrameType

import pytest

from kafka_nextgen.processing import StopHandle
from kafka_nextgen.processing.stopping import stopped_by_signals


def test_a_handle_may_be_stopped_twice() -> None:
    handle = StopHandle()
    assert not handle.is_stopped
    handle.stop()
    handle.stop()
    assert handle.is_stopped


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_acts_as_it_did_before(number: signal.Signals) -> None:
    came: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        came.append(number)

    earlier = signal.signal(number, note)
    try:
        handle = StopHandle()
        with stopped_by_signals(handle):
            os.kill(os.getpid(), number)
            assert (handle.is_stopped, came) == (True, [])
            os.kill(os.getpid(), number)
            assert came == [number]
        assert signal.getsignal(number) is note
    finally:
        signal.signal(number, earlier)


def test_other_threads_leave_the_signals_alone() -> None:
    before = signal.getsignal(signal.SIGTERM)
    inside: list[object] = []

    def look() -> None:
        with stopped_by_signals(StopHandle()):
            inside.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert inside == [before]
