"""kafka_nextgen, with its defaults."""

from __future__ import annotations

import asyncio
import threading
import uuid

from benchmarks.delays.log import Log
from benchmarks.delays.task import Delays, Task
from kafka_nextgen import AsyncConsumer, Consumer, Record, StopHandle, TopicPartition

__all__ = ["config", "iterate", "iterate_async", "partitions", "poll", "run"]


def config(task: Task) -> dict[str, object]:
    """Where to read, from the end on; all else as it is by default."""
    return {"bootstrap.servers": task.bootstrap_servers, "auto.offset.reset": "latest"}


def partitions(task: Task) -> list[TopicPartition]:
    """What there is to be assigned."""
    return [TopicPartition(task.topic, number) for number in range(task.partitions)]


def _bytes(value: object) -> bytes:
    assert isinstance(value, bytes)
    return value


def iterate(task: Task) -> Delays:
    """``for record in consumer``."""
    with Consumer(config(task)) as consumer:
        consumer.assign(partitions(task))
        log = Log(task)
        for record in consumer:
            if not log.take(_bytes(record.value)):
                break
        return log.delays()


def poll(task: Task) -> Delays:
    """``for record in consumer.poll()``."""
    with Consumer(config(task)) as consumer:
        consumer.assign(partitions(task))
        log = Log(task)
        while all(log.take(_bytes(record.value)) for record in consumer.poll(1.0)):
            pass
        return log.delays()


def run(task: Task) -> Delays:
    """``consumer.run(handler)``, which has eight threads, and commits in a group of its own."""
    with Consumer({**config(task), "group.id": f"benchmark-{uuid.uuid4()}", "enable.auto.commit": False}) as consumer:
        consumer.assign(partitions(task))
        log, stop, one_at_a_time, is_on = Log(task), StopHandle(), threading.Lock(), True

        def handle(record: Record) -> None:
            nonlocal is_on
            with one_at_a_time:
                is_on = is_on and log.take(_bytes(record.value))
            if not is_on:
                stop.stop()

        consumer.run(handle, stop=stop)
        return log.delays()


def iterate_async(task: Task) -> Delays:
    """``async for record in consumer``."""
    return asyncio.run(_iterate_async(task))


async def _iterate_async(task: Task) -> Delays:
    async with AsyncConsumer(config(task)) as consumer:
        await consumer.assign(partitions(task))
        log = Log(task)
        async for record in consumer:
            if not log.take(_bytes(record.value)):
                break
        return log.delays()
