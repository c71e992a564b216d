"""Signals: that this process heeds them, and that they come while something is under way in the main thread."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


def heed_interrupts() -> None:
    """Have SIGINT end this process, and programs that tests start and interrupt, in the background of a shell, too.

    There shells start programs with SIGINT ignored, which the programs that these start inherit.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


class Signals:
    """Counts the signals it handles; it raises what it is told to."""

    def __init__(self) -> None:
        self.handled = 0
        self.then: Callable[[], object] = lambda: None

    def __call__(self, *_: object) -> None:
        self.handled += 1
        self.then()


@contextmanager
def handled_by(
    handler: Callable[..., object] | signal.Handlers, number: signal.Signals = signal.SIGUSR1
) -> Iterator[None]:
    """Have this handle the signal, and at the end whatever did before."""
    before = signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, before)


@contextmanager
def shower(first_s: float = 0.001, when: Callable[[], bool] = lambda: True) -> Iterator[None]:
    """Send SIGUSR1 to the main thread, first after ``first_s`` seconds and then each millisecond, when it is the time.

    A single one might come when the thread is just about to wait, and not wake it.
    """
    is_over = threading.Event()
    main = threading.main_thread().ident or 0

    def send() -> None:
        pause_s = first_s
        while not is_over.wait(pause_s):
            if when():
                signal.pthread_kill(main, signal.SIGUSR1)
            pause_s = 0.001

    sender = threading.Thread(target=send)
    sender.start()
    try:
        yield
    finally:
        is_over.set()
        sender.join()
