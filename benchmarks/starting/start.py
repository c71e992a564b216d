"""One start, in a process of its own: importing, making a consumer, the first record of partition 0.

Run as ``python -m benchmarks.starting.start CLIENT BOOTSTRAP TOPIC``; prints as JSON how many seconds each took.
Nothing else is imported before the client is, or it would be counted for nobody.
"""

from __future__ import annotations

import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Steps = Iterator[None]  # a client pauses when its consumer is made, and again when it has a record


def _ours(bootstrap_servers: str, topic: str) -> Steps:
    from kafka_nextgen import Consumer, TopicPartition

    consumer = Consumer({"bootstrap.servers": bootstrap_servers, "auto.offset.reset": "earliest"})
    yield
    consumer.assign([TopicPartition(topic, 0)])
    next(iter(consumer))
    yield
    consumer.close()


def _confluent(bootstrap_servers: str, topic: str) -> Steps:
    from confluent_kafka import OFFSET_BEGINNING, Consumer, TopicPartition

    consumer = Consumer({"bootstrap.servers": bootstrap_servers, "group.id": "start"})
    yield
    consumer.assign([TopicPartition(topic, 0, OFFSET_BEGINNING)])
    while consumer.poll(1.0) is None:
        pass
    yield
    consumer.close()


def _kafka_python(bootstrap_servers: str, topic: str) -> Steps:
    from kafka import KafkaConsumer, TopicPartition

    consumer = KafkaConsumer(bootstrap_servers=bootstrap_servers, auto_offset_reset="earliest")
    yield
    consumer.assign([TopicPartition(topic, 0)])
    next(consumer)
    yield
    consumer.close()


def _aiokafka(bootstrap_servers: str, topic: str) -> Steps:
    import asyncio

    from aiokafka import AIOKafkaConsumer, TopicPartition

    loop = asyncio.new_event_loop()

    async def make() -> AIOKafkaConsumer:
        return AIOKafkaConsumer(bootstrap_servers=bootstrap_servers, auto_offset_reset="earliest")

    async def read() -> None:
        await consumer.start()
        consumer.assign([TopicPartition(topic, 0)])
        await consumer.getone()

    consumer = loop.run_until_complete(make())
    yield
    loop.run_until_complete(read())
    yield
    loop.run_until_complete(consumer.stop())


#: A client's module, and its steps.
CLIENTS: Mapping[str, tuple[str, Callable[[str, str], Steps]]] = {
    "kafka_nextgen": ("kafka_nextgen.consumer", _ours),  # the package imports consumers on first use
    "confluent-kafka": ("confluent_kafka", _confluent),
    "aiokafka": ("aiokafka", _aiokafka),
    "kafka-python": ("kafka", _kafka_python),
}


def start(client: str, bootstrap_servers: str, topic: str) -> dict[str, float]:
    module, reading = CLIENTS[client]
    began = time.perf_counter()
    __import__(module)
    imported = time.perf_counter()
    steps = reading(bootstrap_servers, topic)
    next(steps)
    constructed = time.perf_counter()
    next(steps)
    read = time.perf_counter()
    next(steps, None)
    return {"import_s": imported - began, "construct_s": constructed - imported, "first_record_s": read - imported}


if __name__ == "__main__":
    told = start(*sys.argv[1:])
    import json

    print(json.dumps(told))
