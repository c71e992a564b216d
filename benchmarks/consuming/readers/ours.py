"""kafka_nextgen, waited for."""

from __future__ import annotations

import time
from itertools import islice

import kafka_nextgen.engine.application.arrow  # noqa: F401  (what to_arrow() will import is an import, not reading)
from benchmarks.consuming.gauge import Gauge, Reading
from benchmarks.consuming.task import BATCH, BUFFER_BYTES, CONSUMED, PARTITION_BYTES, Task
from kafka_nextgen import Consumer, TopicPartition

__all__ = ["arrow", "arrow_by_ten_thousand", "config", "iterate", "partitions", "poll"]


def config(task: Task) -> dict[str, object]:
    tuned = {
        "max.partition.fetch.bytes": PARTITION_BYTES,
        "fetch.buffer.bytes": BUFFER_BYTES,
        "max.poll.records": CONSUMED,
    }
    servers = {"bootstrap.servers": task.bootstrap_servers, "auto.offset.reset": "earliest"}
    return {**servers, **(tuned if task.tuned else {})}


def partitions(task: Task) -> list[TopicPartition]:
    return [TopicPartition(task.topic, number) for number in range(task.partitions)]


def arrow(task: Task, gauge: Gauge) -> Reading:
    """``consumer.batches()``, each made an Arrow table; tuned, they are large."""
    return _arrow(task, gauge, BATCH)


def arrow_by_ten_thousand(task: Task, gauge: Gauge) -> Reading:
    """The same, tuned as many records at a time as the peers hand over: what the application holds is not ours."""
    return _arrow(task, gauge, CONSUMED)


def _arrow(task: Task, gauge: Gauge, max_records: int) -> Reading:
    with Consumer(config(task)) as consumer:
        gauge.begin()
        consumer.assign(partitions(task))
        seen = 0
        for records in consumer.batches(max_records if task.tuned else None):
            table = records.to_arrow()
            assert table.nbytes > 0
            if not seen:
                time.sleep(task.pause_s)
            seen += table.num_rows
            if seen >= task.records:
                break
        return gauge.end(seen)


def poll(task: Task, gauge: Gauge) -> Reading:
    """``for record in consumer.poll()``."""
    with Consumer(config(task)) as consumer:
        gauge.begin()
        consumer.assign(partitions(task))
        seen = 0
        while seen < task.records:
            records = consumer.poll(1.0)
            for record in records:
                value, offset = record.value, record.offset  # noqa: F841
            seen += len(records)
        return gauge.end(seen)


def iterate(task: Task, gauge: Gauge) -> Reading:
    """``for record in consumer``."""
    with Consumer(config(task)) as consumer:
        gauge.begin()
        consumer.assign(partitions(task))
        records = iter(consumer)
        next(records)
        time.sleep(task.pause_s)
        for record in islice(records, task.records - 1):
            value, offset = record.value, record.offset  # noqa: F841
        return gauge.end(task.records)
