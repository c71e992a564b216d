"""One client that waits, in a process of its own.

Run as ``python -m benchmarks.idling.wait TASK``, a ``Task`` as JSON; prints ``Idleness`` as JSON.
"""

from __future__ import annotations

import time
from importlib import import_module

from benchmarks.consuming.gauge import Gauge
from benchmarks.idling.task import Idleness, Task
from benchmarks.idling.waiters import MODULES, WAITERS, Step
from benchmarks.processes import answer, told

__all__ = ["wait"]


def wait(task: Task) -> Idleness:
    import_module(MODULES[task.waiter])
    gauge = Gauge()
    with WAITERS[task.waiter](task) as step:
        _repeat(step, task.settle_s)
        gauge.begin()
        _repeat(step, task.seconds)
        reading = gauge.end(0)
    return Idleness((reading.user_s + reading.system_s) / reading.whole_s, reading.peak_bytes)


def _repeat(step: Step, seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        step()


if __name__ == "__main__":
    answer(wait(told(Task)))
