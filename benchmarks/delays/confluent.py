"""confluent-kafka, with its defaults; and as it reads a backlog fastest."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from confluent_kafka import OFFSET_END, Consumer, Message, TopicPartition
from confluent_kafka.aio import AIOConsumer

from benchmarks.consuming.readers.confluent import CONSUME_S as LONG_S
from benchmarks.consuming.readers.confluent import TUNED
from benchmarks.consuming.task import CONSUMED as MUCH
from benchmarks.delays.log import Log
from benchmarks.delays.task import Delays, Task

__all__ = ["consume", "consume_much", "consume_much_at_once", "poll", "poll_async"]

#: consume() waits until it has all it was asked for, or for its time: it is given a little of both.
LITTLE, SHORT_S = 5, 0.001


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
    return _consume(task, LITTLE, SHORT_S, {})


def consume_much(task: Task) -> Delays:
    """``consumer.consume()`` as a backlog is read, but for no longer than that of a few."""
    return _consume(task, MUCH, SHORT_S, TUNED)


def consume_much_at_once(task: Task) -> Delays:
    """``consumer.consume()`` just as a backlog is read."""
    return _consume(task, MUCH, LONG_S, TUNED)


def _consume(task: Task, most: int, timeout_s: float, tuned: Mapping[str, int]) -> Delays:
    consumer = Consumer({**_config(task), **tuned})
    consumer.assign(_partitions(task))
    log = Log(task)
    while all(log.take(_bytes(message)) for message in consumer.consume(most, timeout_s)):
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
