"""confluent-kafka, waited for."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, Consumer, TopicPartition

from benchmarks.consuming.gauge import Gauge, Reading
from benchmarks.consuming.task import BUFFER_BYTES, CONSUMED, PARTITION_BYTES, Task

__all__ = ["CONSUME_S", "TUNED", "config", "consume", "partitions", "poll"]

#: How long consume() may wait for all that it was asked for.
CONSUME_S = 1.0

#: What it reads a backlog fastest with.
TUNED: Mapping[str, int] = {
    "queued.min.messages": 1_000_000,
    "queued.max.messages.kbytes": BUFFER_BYTES // 1024,
    "fetch.message.max.bytes": PARTITION_BYTES,
}


def config(task: Task) -> dict[str, Any]:
    """It can't do without a group, but does not join it."""
    return {
        "bootstrap.servers": task.bootstrap_servers,
        "group.id": "benchmark",
        "enable.auto.commit": False,
        "auto.offset.reset": "earliest",
        **(TUNED if task.tuned else {}),
    }


def partitions(task: Task) -> list[TopicPartition]:
    return [TopicPartition(task.topic, number, OFFSET_BEGINNING) for number in range(task.partitions)]


def consume(task: Task, gauge: Gauge) -> Reading:
    """``for message in consumer.consume(10000)``."""
    consumer = Consumer(config(task))
    gauge.begin()
    consumer.assign(partitions(task))
    seen = 0
    while seen < task.records:
        messages = consumer.consume(min(CONSUMED, task.records - seen), CONSUME_S)
        for message in messages:
            value, offset = message.value(), message.offset()  # noqa: F841
        if messages and not seen:
            time.sleep(task.pause_s)
        seen += len(messages)
    reading = gauge.end(seen)
    consumer.close()
    return reading


def poll(task: Task, gauge: Gauge) -> Reading:
    """``consumer.poll()``, one message at a time."""
    consumer = Consumer(config(task))
    gauge.begin()
    consumer.assign(partitions(task))
    missing = task.records
    while missing:
        message = consumer.poll(1.0)
        if message is None:
            continue
        value, offset = message.value(), message.offset()  # noqa: F841
        missing -= 1
    reading = gauge.end(task.records)
    consumer.close()
    return reading
