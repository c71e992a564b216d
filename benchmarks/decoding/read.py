"""One reading of typed values, in a process of its own.

Run as ``python -m benchmarks.decoding.read TASK``, a ``Task`` as JSON; prints what came of it as JSON.
"""

from __future__ import annotations

from typing import Any

from attrs import asdict, frozen

from benchmarks.consuming.gauge import Gauge, Reading
from benchmarks.decoding.clients import CLIENTS, IN_MEMORY, OURS
from benchmarks.decoding.formats import format_module
from benchmarks.decoding.task import Seen, Task
from benchmarks.processes import answer, told

__all__ = ["Read", "decoder_of", "read"]


@frozen
class Read:
    """A reading, and the digest of the rows if it was asked for."""

    reading: dict[str, Any]
    digest: str

    def as_reading(self, start_s: float = 0.0) -> Reading:
        return Reading(**{**self.reading, "start_s": start_s})


def read(task: Task) -> Read:
    decoder, seen = decoder_of(task), Seen(task.records, task.is_checked)
    reading = CLIENTS[task.client](task, decoder, Gauge(), seen)
    return Read(asdict(reading), seen.digest())


def decoder_of(task: Task) -> Any:
    """Our format, or what makes a table of values."""
    module = format_module(task.format)
    is_ours = task.client in (OURS, IN_MEMORY)
    return module.ours(task.shape) if is_ours else module.USUAL[task.decoder](task.shape)


if __name__ == "__main__":
    answer(read(told(Task)))
