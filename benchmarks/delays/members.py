"""kafka_nextgen as a member of a group, without and with the event log of its history."""

from __future__ import annotations

import tempfile
import uuid

from benchmarks.delays.log import Log
from benchmarks.delays.ours import config
from benchmarks.delays.task import Delays, Task
from kafka_nextgen import Consumer

__all__ = ["iterate", "iterate_logged"]


def iterate(task: Task) -> Delays:
    """``for record in consumer``."""
    return _iterate(task, {})


def iterate_logged(task: Task) -> Delays:
    """The same with ``history.log.dir``."""
    with tempfile.TemporaryDirectory() as directory:
        return _iterate(task, {"history.log.dir": directory})


def _iterate(task: Task, more: dict[str, object]) -> Delays:
    with Consumer({**config(task), "group.id": f"benchmark-{uuid.uuid4()}", **more}) as consumer:
        consumer.subscribe([task.topic])
        log = Log(task)
        for record in consumer:
            assert isinstance(record.value, bytes)
            if not log.take(record.value):
                break
        return log.delays()
