"""The clocks of this library, which tests of an application do not stop.

``freezegun`` and ``unittest.mock`` replace the functions of the module ``time``, and freezegun also every module's
names for them. A consumer whose clock stands still waits for ever, and its member loses its partitions. So these
functions come from a copy of that module which only this module holds, even if it is first imported while time is
frozen. ``time-machine`` changes the functions themselves, but not the monotonic clock.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec, module_from_spec

__all__ = ["monotonic", "monotonic_ns", "perf_counter", "time", "time_ns"]

_spec = find_spec("time")
assert _spec is not None
assert _spec.loader is not None
_own = module_from_spec(_spec)
_spec.loader.exec_module(_own)

monotonic: Callable[[], float] = _own.monotonic
monotonic_ns: Callable[[], int] = _own.monotonic_ns
perf_counter: Callable[[], float] = _own.perf_counter
#: The real time, not a frozen one: records and members are compared with brokers, whose clocks go on.
time: Callable[[], float] = _own.time
time_ns: Callable[[], int] = _own.time_ns
