"""kafka_nextgen as a member of a group, without and with the event log of its history.

Reading begins when all partitions are assigned: how long joining takes is not the log's business.
"""

from __future__ import annotations

import tempfile
import uuid
from itertools import islice

from benchmarks.consuming.gauge import Gauge, Reading
from benchmarks.consuming.readers.ours import config
from benchmarks.consuming.task import BATCH, Task
from kafka_nextgen import Consumer

__all__ = ["arrow", "arrow_logged", "iterate", "iterate_logged"]


def iterate(task: Task, gauge: Gauge) -> Reading:
    """``for record in consumer``."""
    with _member(task, {}) as consumer:
        return _iterate(consumer, task, gauge)


def iterate_logged(task: Task, gauge: Gauge) -> Reading:
    """The same with ``history.log.dir``."""
    with tempfile.TemporaryDirectory() as directory, _member(task, {"history.log.dir": directory}) as consumer:
        return _iterate(consumer, task, gauge)


def arrow(task: Task, gauge: Gauge) -> Reading:
    """``consumer.batches()``, each made an Arrow table."""
    with _member(task, {}) as consumer:
        return _arrow(consumer, task, gauge)


def arrow_logged(task: Task, gauge: Gauge) -> Reading:
    """The same with ``history.log.dir``."""
    with tempfile.TemporaryDirectory() as directory, _member(task, {"history.log.dir": directory}) as consumer:
        return _arrow(consumer, task, gauge)


def _member(task: Task, more: dict[str, object]) -> Consumer:
    consumer = Consumer({**config(task), "group.id": f"benchmark-{uuid.uuid4()}", **more})
    consumer.subscribe([task.topic])
    while len(consumer.assignment()) < task.partitions:
        consumer.poll(0.1, max_records=1)
    consumer.seek_to_beginning()
    return consumer


def _iterate(consumer: Consumer, task: Task, gauge: Gauge) -> Reading:
    gauge.begin()
    for record in islice(consumer, task.records):
        value, offset = record.value, record.offset  # noqa: F841
    return gauge.end(task.records)


def _arrow(consumer: Consumer, task: Task, gauge: Gauge) -> Reading:
    gauge.begin()
    seen = 0
    for records in consumer.batches(BATCH):
        seen += records.to_arrow().num_rows
        if seen >= task.records:
            break
    return gauge.end(seen)
