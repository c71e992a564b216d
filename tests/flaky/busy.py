"""Processes that only keep the cores busy."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

#: Each ends by itself once its parent is gone, so that none outlives a parent that was killed.
_PROGRAM = """
import os, sys
while os.getppid() == int(sys.argv[1]):
    sum(range(100_000))
"""


@contextmanager
def busy_processes(count: int) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Keep ``count`` processes busy while the block runs."""
    started: list[subprocess.Popen[bytes]] = []
    try:
        command = [sys.executable, "-c", _PROGRAM, str(os.getpid())]
        started.extend(subprocess.Popen(command) for _ in range(count))
        yield started
    finally:
        for process in started:
            process.kill()
        for process in started:
            process.wait()
