"""aiokafka, with its defaults."""

from __future__ import annotations

import asyncio

from aiokafka import AIOKafkaConsumer, TopicPartition

from benchmarks.delays.log import Log
from benchmarks.delays.task import Delays, Task

__all__ = ["iterate"]


def iterate(task: Task) -> Delays:
    """``async for record in consumer``."""
    return asyncio.run(_iterate(task))


async def _iterate(task: Task) -> Delays:
    consumer = AIOKafkaConsumer(bootstrap_servers=task.bootstrap_servers, auto_offset_reset="latest")
    await consumer.start()
    consumer.assign([TopicPartition(task.topic, number) for number in range(task.partitions)])
    log = Log(task)
    async for record in consumer:
        if not log.take(record.value):
            break
    await consumer.stop()
    return log.delays()
