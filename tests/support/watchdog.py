"""What ends a test that its time limit can't end, and tells where all threads were.

pytest-timeout fails a test by a signal, whose handler is Python code of the main thread. That never runs while C code
keeps the GIL, or waits without looking at signals. No test is running, either, when a process of pytest-xdist waits for
its next one and has lost its way of hearing of it. Here a thread that needs no GIL prints the stack of each Python
thread, and ends the process: pytest-xdist then says which test that was, and goes on with another process.
"""

from __future__ import annotations

import faulthandler
import os
import sys
from collections.abc import Iterator

import pytest
from attrs import define

from tests.support.waiting import TEST_S

#: pytest-timeout has had its turn by then.
STUCK_S = 1.5 * TEST_S

#: A process that has no test left waits for others, which may end with two of the longest.
IDLE_S = 3 * STUCK_S


@define
class Watchdog:
    """A plugin of pytest; ``stderr`` is a descriptor that is not captured."""

    _stderr: int
    _stuck_s: float = STUCK_S
    _idle_s: float = IDLE_S

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self) -> Iterator[None]:
        faulthandler.dump_traceback_later(self._stuck_s, exit=True, file=self._stderr)
        try:
            return (yield)
        finally:
            faulthandler.dump_traceback_later(self._idle_s, exit=True, file=self._stderr)

    def pytest_unconfigure(self) -> None:
        faulthandler.cancel_dump_traceback_later()
        os.close(self._stderr)


def watch(config: pytest.Config) -> None:
    """Watch the tests of this process; called while pytest does not capture what is printed."""
    config.pluginmanager.register(Watchdog(os.dup(sys.__stderr__.fileno())), "watchdog")
