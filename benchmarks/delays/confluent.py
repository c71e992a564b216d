"""confluent-kafka, with its defaults."""

from __future__ import annotations

import asyncio
from typing import Any

from confluent_kafka import OFFSET_END, Consumer, Message, TopicPartition
from confluent_kafka.aio import AIOConsumer

from benchmarks.delays.log import Log
from benchmarks.delays.task import Delays, Task

__all__ = ["consume", "poll", "poll_async"]

#: consume() waits until it has all it was asked for, or for this long: it is given a little of both.
CONSUMED, CONSUME_S = 5, 0.001


def _config(task: Task) -> dict[str, Any]:
    return {"bootstrap.servers": task.bootstrap_servers, "group.id": "benchmark", "enable.auto.commit": False}


def _partitions(task: Task) -> list[TopicPartition]:
    return [TopicPartition(task.topic, number, OFFSET_END) for number in range(task.partitions)]


def _bytes(message: Message) -> bytes:
    value = message.value()
    assert isinstance(value, bytes)
    return value


def poll(task: Task) -> Delays:
    """``consumer.poll()``."""
    consumer = Consumer(_config(task))
    consumer.assign(_partitions(task))
    log, is_on = Log(task), True
    while is_on:
        message = consumer.poll(1.0)
        is_on = message is None or log.take(_bytes(message))
    consumer.close()
    return log.delays()


def consume(task: Task) -> Delays:
    """``consumer.consume()`` of a few."""
    consumer = Consumer(_config(task))
    consumer.assign(_partitions(task))
    log = Log(task)
    while all(log.take(_bytes(message)) for message in consumer.consume(CONSUMED, CONSUME_S)):
        pass
    consumer.close()
    return log.delays()


def poll_async(task: Task) -> Delays:
    """``await consumer.poll()``."""
    return asyncio.run(_poll_async(task))


async def _poll_async(task: Task) -> Delays:
    consumer = AIOConsumer(_config(task))
    await consumer.assign(_partitions(task))
    log, is_on = Log(task), True
    while is_on:
        message = await consumer.poll(1.0)
        is_on = message is None or log.take(_bytes(message))
    await consumer.close()
    return log.delays()
