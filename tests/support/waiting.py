"""Waiting for what a cluster does in its own time: its nodes learn of a change a moment after it was confirmed."""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["eventually"]


def eventually(what: str, is_so: Callable[[], bool], timeout_s: float = 15) -> None:
    """Return once ``is_so``; fail, naming ``what``, if it is not within ``timeout_s``."""
    deadline = time.monotonic() + timeout_s
    while not is_so():
        assert time.monotonic() < deadline, f"not so within {timeout_s:.0f} s: {what}"
        time.sleep(0.05)
