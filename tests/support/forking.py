"""A forked process, in which only the forking thread exists: locks that other threads held stay locked."""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Callable

from tests.support.waiting import GUARD_S


def in_forked_process(action: Callable[[], object]) -> None:
    """Call ``action`` in a forked process. Fails if it raises there, or does not end."""
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)  # ends a process that waits
        signal.alarm(int(GUARD_S))
        try:
            action()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
