"""aiokafka."""

from __future__ import annotations

import asyncio
from typing import Any

from aiokafka import AIOKafkaConsumer, TopicPartition

from benchmarks.consuming.gauge import Gauge, Reading
from benchmarks.consuming.task import CONSUMED, PARTITION_BYTES, Task
from benchmarks.consuming.touching import touch

__all__ = ["getmany", "iterate", "make_consumer", "partitions"]


def make_consumer(task: Task) -> Any:
    tuned = {"max_partition_fetch_bytes": PARTITION_BYTES} if task.tuned else {}
    return AIOKafkaConsumer(bootstrap_servers=task.bootstrap_servers, auto_offset_reset="earliest", **tuned)


def partitions(task: Task) -> list[TopicPartition]:
    return [TopicPartition(task.topic, number) for number in range(task.partitions)]


def getmany(task: Task, gauge: Gauge) -> Reading:
    """``await consumer.getmany(max_records=10000)``, or without a number of records by default."""
    return asyncio.run(_getmany(task, gauge))


async def _getmany(task: Task, gauge: Gauge) -> Reading:
    consumer = make_consumer(task)
    await consumer.start()
    gauge.begin()
    consumer.assign(partitions(task))
    seen = 0
    while seen < task.records:
        found = await consumer.getmany(timeout_ms=1000, max_records=CONSUMED if task.tuned else None)
        for records in found.values():
            for record in records:
                value, offset = record.value, record.offset  # noqa: F841
            seen += len(records)
    reading = gauge.end(seen)
    await consumer.stop()
    return reading


def iterate(task: Task, gauge: Gauge) -> Reading:
    """``async for record in consumer``."""
    return asyncio.run(_iterate(task, gauge))


async def _iterate(task: Task, gauge: Gauge) -> Reading:
    consumer = make_consumer(task)
    await consumer.start()
    gauge.begin()
    consumer.assign(partitions(task))
    await touch(consumer, task.records)
    reading = gauge.end(task.records)
    await consumer.stop()
    return reading
