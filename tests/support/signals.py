"""Signals that come while something is under way in the main thread."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["Signals"]


class Signals:
    """Counts the signals it handles; it raises what it is told to."""

    def __init__(self) -> None:
        self.handled = 0
        self.then: Callable[[], object] = lambda: None

    def __call__(self, *_: object) -> None:
        self.handled += 1
        self.then()

    @contextmanager
    def coming(self, when: Callable[[], bool] = lambda: True) -> Iterator[None]:
        """Send them to the main thread one after the other, as long as it is the time for that.

        A single one might come when the thread is just about to wait, and not wake it.
        """
        is_over = threading.Event()
        main = threading.main_thread().ident or 0

        def send() -> None:
            while not is_over.wait(0.001):
                if when():
                    signal.pthread_kill(main, signal.SIGUSR1)

        sender = threading.Thread(target=send)
        sender.start()
        try:
            yield
        finally:
            is_over.set()
            sender.join()
