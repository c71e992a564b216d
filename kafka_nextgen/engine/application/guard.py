"""One caller at a time: a consumer used by two threads, or two tasks, says so instead of losing records.

The holder may come back in (a listener that commits runs inside ``poll``); anybody else is refused, except for
``close``, which waits for its turn.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from kafka_nextgen.errors import ConcurrentUseError

__all__ = ["Guard"]


class Guard:
    """``whoami`` tells callers apart: a thread's ident, or the running task."""

    def __init__(self, whoami: Callable[[], object]) -> None:
        self._whoami = whoami
        self._lock = threading.RLock()  # a signal handler may close from within
        self._holder: object | None = None
        self._call = ""
        self._depth = 0

    def refusal(self, call: str) -> ConcurrentUseError:
        """What to raise where another caller has the consumer."""
        return ConcurrentUseError(
            f"{call}() was called while another thread or task is inside {self._call}(); "
            "a consumer serves one caller at a time, only close() may come from elsewhere"
        )

    def try_enter(self, call: str) -> bool:
        """Take the consumer, to be given back by ``leave``, if it is free or held by this caller already."""
        me = self._whoami()
        with self._lock:
            if self._depth and self._holder != me:
                return False
            if not self._depth:
                self._holder, self._call = me, call
            self._depth += 1
            return True

    def leave(self) -> None:
        """Give the consumer back."""
        with self._lock:
            self._depth -= 1
            if not self._depth:
                self._holder = None
