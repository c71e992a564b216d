"""The clocks of this library, which an application's tests can't stop.

``freezegun`` and ``unittest.mock`` replace the functions of the module ``time``, and freezegun also replaces every
module's references to them. A consumer whose clock has stopped waits forever, and its member loses its partitions. So
these functions come from a private copy of that module, even if this module is first imported while time is frozen.
``time-machine`` changes the functions themselves, but not the monotonic clock.

A thread may follow another clock, which a test advances (``kafka_nextgen.transport.turned_clock``). Until a thread does
so, these are the system's own functions, so other programs have no overhead. Call them as attributes of this module: a
stored reference to a function always follows the system's clock.
"""

from __future__ import annotations

import threading  # noqa: TID251  (for thread-local data)
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec, module_from_spec
from typing import Protocol

__all__ = [
    "Timekeeper",
    "followed",
    "monotonic",
    "monotonic_ns",
    "perf_counter",
    "real_monotonic",
    "seconds_until",
    "time",
    "time_ns",
]

_spec = find_spec("time")
assert _spec is not None
assert _spec.loader is not None
_own = module_from_spec(_spec)
_spec.loader.exec_module(_own)

monotonic: Callable[[], float] = _own.monotonic
monotonic_ns: Callable[[], int] = _own.monotonic_ns
perf_counter: Callable[[], float] = _own.perf_counter
#: The real time, even if a test has frozen time: records and members are compared with brokers, whose clocks continue.
time: Callable[[], float] = _own.time
time_ns: Callable[[], int] = _own.time_ns
real_monotonic: Callable[[], float] = _own.monotonic
real_time: Callable[[], float] = _own.time
#: Let other threads run.
real_sleep: Callable[[float], None] = _own.sleep


def seconds_until(deadline: float) -> float:
    """The seconds left until ``deadline`` (monotonic seconds); 0 if it has passed."""
    return max(0.0, deadline - monotonic())


class Timekeeper(Protocol):
    """A clock that a thread can follow instead of the system's; both methods return seconds."""

    def monotonic(self) -> float:
        """The time in seconds of a clock that never goes backwards."""

    def time(self) -> float:
        """Seconds since the Unix epoch."""


class _System:
    monotonic = staticmethod(real_monotonic)
    time = staticmethod(real_time)


class _OfThread(threading.local):
    clock: Timekeeper = _System()


_of_thread = _OfThread()


@contextmanager
def followed(clock: Timekeeper) -> Iterator[None]:
    """Make the functions of this module follow ``clock`` inside the block, in this thread only."""
    _ask_each_threads_clock()
    before, _of_thread.clock = _of_thread.clock, clock
    try:
        yield
    finally:
        _of_thread.clock = before


def _ask_each_threads_clock() -> None:
    global monotonic, monotonic_ns, time, time_ns
    monotonic = lambda: _of_thread.clock.monotonic()  # noqa: E731
    monotonic_ns = lambda: int(_of_thread.clock.monotonic() * 1e9)  # noqa: E731
    time = lambda: _of_thread.clock.time()  # noqa: E731
    time_ns = lambda: int(_of_thread.clock.time() * 1e9)  # noqa: E731
