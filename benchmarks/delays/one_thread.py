"""kafka_nextgen with its records handled by the thread that fetches them, which nobody is offered.

It tells what the application's own thread costs: being woken, waiting for a core and for the interpreter, and polling.
"""

from __future__ import annotations

import threading

from attrs import evolve

from benchmarks.delays.log import Log
from benchmarks.delays.ours import config, partitions
from benchmarks.delays.task import Delays, Task
from kafka_nextgen import Consumer

__all__ = ["handle"]

_ALL = 1_000_000


def handle(task: Task) -> Delays:
    """Handle records where the application would be told of them; its own thread sleeps."""
    enough = threading.Event()
    with Consumer(config(task)) as consumer:
        fetches = consumer._core.fetches  # noqa: SLF001
        log = Log(task)

        def handle_at_once() -> None:
            with fetches as state:
                parts = state.handover.take(_ALL)
            values = (value for part in parts for value in part.columns.values.to_list(part.start, part.stop))
            if not enough.is_set() and not all(log.take(value or b"") for value in values):
                enough.set()

        engine = consumer._core.engine  # noqa: SLF001
        engine.mailbox.wake = handle_at_once
        fetcher = engine.fetcher
        fetcher._exchanges = evolve(fetcher._exchanges, on_records=handle_at_once)  # noqa: SLF001
        consumer.assign(partitions(task))
        enough.wait()
        return log.delays()
