"""One reading, in a process of its own.

Run as ``python -m benchmarks.consuming.read TASK``, a ``Task`` as JSON; prints the ``Reading`` as JSON. A reader is
``file.function`` of ``benchmarks/consuming/readers``.
"""

from __future__ import annotations

from importlib import import_module

from benchmarks.consuming.gauge import Gauge, Reading
from benchmarks.consuming.task import Task
from benchmarks.processes import answer, told


def read(task: Task) -> Reading:
    file, function = task.reader.split(".")
    reader = getattr(import_module(f"benchmarks.consuming.readers.{file}"), function)
    reading = reader(task, Gauge())
    assert isinstance(reading, Reading)
    return reading


if __name__ == "__main__":
    answer(read(told(Task)))
