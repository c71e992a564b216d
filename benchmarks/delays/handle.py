"""One handler of records, in a process of its own.

Run as ``python -m benchmarks.delays.handle TASK``, a ``Task`` as JSON; prints ``Delays`` as JSON. A handler is
``file.function`` of ``benchmarks/delays``, each client in a file of its own.
"""

from __future__ import annotations

from importlib import import_module

from benchmarks.delays.task import Delays, Task
from benchmarks.processes import answer, told


def handle(task: Task) -> Delays:
    file, function = task.handler.split(".")
    delays = getattr(import_module(f"benchmarks.delays.{file}"), function)(task)
    assert isinstance(delays, Delays)
    return delays


if __name__ == "__main__":
    answer(handle(told(Task)))
