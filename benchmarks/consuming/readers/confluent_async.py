"""confluent-kafka's AIOConsumer."""

from __future__ import annotations

import asyncio

from confluent_kafka.aio import AIOConsumer

from benchmarks.consuming.gauge import Gauge, Reading
from benchmarks.consuming.readers.confluent import config, partitions
from benchmarks.consuming.task import CONSUMED, Task

__all__ = ["consume", "poll"]


def consume(task: Task, gauge: Gauge) -> Reading:
    """``for message in await consumer.consume(10000)``."""
    return asyncio.run(_consume(task, gauge))


async def _consume(task: Task, gauge: Gauge) -> Reading:
    consumer = AIOConsumer(config(task))
    gauge.begin()
    await consumer.assign(partitions(task))
    seen = 0
    while seen < task.records:
        messages = await consumer.consume(min(CONSUMED, task.records - seen), 1.0)
        for message in messages:
            value, offset = message.value(), message.offset()  # noqa: F841
        seen += len(messages)
    reading = gauge.end(seen)
    await consumer.close()
    return reading


def poll(task: Task, gauge: Gauge) -> Reading:
    """``await consumer.poll()``, one message at a time: its nearest to iterating, which it does not have."""
    return asyncio.run(_poll(task, gauge))


async def _poll(task: Task, gauge: Gauge) -> Reading:
    consumer = AIOConsumer(config(task))
    gauge.begin()
    await consumer.assign(partitions(task))
    missing = task.records
    while missing:
        message = await consumer.poll(1.0)
        if message is None:
            continue
        value, offset = message.value(), message.offset()  # noqa: F841
        missing -= 1
    reading = gauge.end(task.records)
    await consumer.close()
    return reading
