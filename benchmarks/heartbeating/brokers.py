"""Our broker, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["our_broker"]


@contextmanager
def our_broker() -> Iterator[str]:
    """Yield the bootstrap servers."""
    command = [sys.executable, "-m", "benchmarks.heartbeating.serve"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.stdin.close()
        process.wait(timeout=30)
