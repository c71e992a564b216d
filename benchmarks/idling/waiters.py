"""The clients, each waiting at the end of all partitions with its defaults: a step waits for a second at most."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from benchmarks.idling.task import Task

__all__ = ["MODULES", "WAITERS", "Step"]

Step = Callable[[], object]


def _step_s(task: Task) -> float:
    return min(1.0, task.seconds)


@contextmanager
def _ours(task: Task) -> Iterator[Step]:
    from kafka_nextgen import Consumer, TopicPartition

    with Consumer({"bootstrap.servers": task.bootstrap_servers, "auto.offset.reset": "latest"}) as consumer:
        consumer.assign([TopicPartition(task.topic, number) for number in range(task.partitions)])
        yield lambda: consumer.poll(_step_s(task))


@contextmanager
def _confluent(task: Task) -> Iterator[Step]:
    from confluent_kafka import OFFSET_END, Consumer, TopicPartition

    consumer = Consumer({"bootstrap.servers": task.bootstrap_servers, "group.id": "idle", "enable.auto.commit": False})
    consumer.assign([TopicPartition(task.topic, number, OFFSET_END) for number in range(task.partitions)])
    yield lambda: consumer.poll(_step_s(task))
    consumer.close()


@contextmanager
def _kafka_python(task: Task) -> Iterator[Step]:
    from kafka import KafkaConsumer, TopicPartition

    consumer = KafkaConsumer(bootstrap_servers=task.bootstrap_servers)
    consumer.assign([TopicPartition(task.topic, number) for number in range(task.partitions)])
    yield lambda: consumer.poll(timeout_ms=_step_s(task) * 1000)
    consumer.close()


@contextmanager
def _aiokafka(task: Task) -> Iterator[Step]:
    import asyncio

    from aiokafka import AIOKafkaConsumer, TopicPartition

    loop = asyncio.new_event_loop()

    async def begin() -> AIOKafkaConsumer:
        consumer = AIOKafkaConsumer(bootstrap_servers=task.bootstrap_servers)
        await consumer.start()
        consumer.assign([TopicPartition(task.topic, number) for number in range(task.partitions)])
        return consumer

    consumer = loop.run_until_complete(begin())
    yield lambda: loop.run_until_complete(consumer.getmany(timeout_ms=int(_step_s(task) * 1000)))
    loop.run_until_complete(consumer.stop())
    loop.close()


WAITERS = {"kafka_nextgen": _ours, "confluent-kafka": _confluent, "aiokafka": _aiokafka, "kafka-python": _kafka_python}

#: What each imports.
MODULES: Mapping[str, str] = {
    "kafka_nextgen": "kafka_nextgen",
    "confluent-kafka": "confluent_kafka",
    "aiokafka": "aiokafka",
    "kafka-python": "kafka",
}
