"""kafka_nextgen, awaited."""

from __future__ import annotations

import asyncio

from benchmarks.consuming.gauge import Gauge, Reading
from benchmarks.consuming.readers.ours import config, partitions
from benchmarks.consuming.task import Task
from benchmarks.consuming.touching import touch
from kafka_nextgen import AsyncConsumer

__all__ = ["iterate", "poll"]


def iterate(task: Task, gauge: Gauge) -> Reading:
    """``async for record in consumer``."""
    return asyncio.run(_iterate(task, gauge))


async def _iterate(task: Task, gauge: Gauge) -> Reading:
    async with AsyncConsumer(config(task)) as consumer:
        gauge.begin()
        await consumer.assign(partitions(task))
        await touch(consumer, task.records)
        return gauge.end(task.records)


def poll(task: Task, gauge: Gauge) -> Reading:
    """``for record in await consumer.poll()``."""
    return asyncio.run(_poll(task, gauge))


async def _poll(task: Task, gauge: Gauge) -> Reading:
    async with AsyncConsumer(config(task)) as consumer:
        gauge.begin()
        await consumer.assign(partitions(task))
        seen = 0
        while seen < task.records:
            records = await consumer.poll(1.0)
            for record in records:
                value, offset = record.value, record.offset  # noqa: F841
            seen += len(records)
        return gauge.end(seen)
