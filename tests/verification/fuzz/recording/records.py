"""Writing and reading records of every kind: codecs, headers, nulls, transactions that commit and that abort."""

from __future__ import annotations

from collections.abc import Callable

import aiokafka
from confluent_kafka import Consumer as ConfluentConsumer
from confluent_kafka import Producer, TopicPartition

from kafka_nextgen import Consumer
from tests.support.clients import produce
from tests.support.waiting import eventually
from tests.verification.fuzz.corpus import OFFSETS_TOPIC, Recorded

CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
_RECORDS = 12


def write_records(servers: str, topic: str, codec: str) -> None:
    """Write two batches of this codec: one with keys, values and headers of all kinds, one of numbers."""
    producer = Producer({"bootstrap.servers": servers, "compression.type": codec, "linger.ms": 50})
    producer.produce(topic, key=b"k", value=b"v" * 300, headers=[("trace", b"1"), ("trace", None), ("größe", b"")])
    producer.produce(topic, key=None, value=None)
    producer.produce(topic, key=b"", value=b"", timestamp=1)
    assert producer.flush(30) == 0
    produce(servers, topic, _RECORDS, compression=codec)


def write_transactions(servers: str, topic: str, codec: str) -> None:
    """Write a transaction that is committed, one that is aborted, and offsets in a third."""
    producer = Producer({"bootstrap.servers": servers, "compression.type": codec, "transactional.id": f"t-{codec}"})
    producer.init_transactions(30)
    for end in (producer.commit_transaction, producer.abort_transaction):
        producer.begin_transaction()
        producer.produce(topic, value=b"in a transaction")
        assert producer.flush(30) == 0
        end(30)
    _commit_in_transaction(servers, topic, producer)


def _commit_in_transaction(servers: str, topic: str, producer: Producer) -> None:
    reader = ConfluentConsumer({"bootstrap.servers": servers, "group.id": f"{topic}-in-transaction"})
    producer.begin_transaction()
    producer.send_offsets_to_transaction([TopicPartition(topic, 0, 1)], reader.consumer_group_metadata(), 30)
    producer.commit_transaction(30)
    reader.close()


def we_read(servers: str, topic: str, protocol: str, count: int) -> None:
    """Read with the consumer of this project, commit, and leave."""
    config = {
        "bootstrap.servers": servers,
        "group.id": f"{topic}-{protocol}",
        "group.protocol": protocol,
        "auto.offset.reset": "earliest",
    }
    with Consumer(config) as consumer:
        consumer.subscribe([topic])
        _read(lambda: len(consumer.poll(timeout=0.5)), count)
        consumer.commit()


def confluent_reads(servers: str, topic: str, protocol: str, count: int, **more: object) -> None:
    """Read with confluent-kafka, commit, and leave."""
    config = {
        "bootstrap.servers": servers,
        "group.id": f"{topic}-{protocol}-confluent",
        "group.protocol": protocol,
        "auto.offset.reset": "earliest",
        **more,
    }
    consumer = ConfluentConsumer(config)
    consumer.subscribe([topic])
    _read(lambda: len(consumer.consume(100, 0.5)), count)
    consumer.commit(asynchronous=False)
    consumer.close()


async def aio_reads(servers: str, topic: str, count: int) -> None:
    """Read with aiokafka, in the classic protocol."""
    consumer = aiokafka.AIOKafkaConsumer(
        topic, bootstrap_servers=servers, group_id=f"{topic}-aio", auto_offset_reset="earliest"
    )
    async with consumer:
        for _ in range(count):
            await consumer.getone()
        await consumer.commit()


def offsets_records(servers: str, most: int) -> list[Recorded]:
    """Records of ``__consumer_offsets``, as many different ones as there are, up to ``most``."""
    consumer = ConfluentConsumer({"bootstrap.servers": servers, "group.id": "nobody", "enable.auto.commit": False})
    topic = "__consumer_offsets"
    numbers = consumer.list_topics(topic, 10).topics[topic].partitions
    consumer.assign([TopicPartition(topic, number, 0) for number in numbers])
    found: dict[tuple[bytes, int], Recorded] = {}
    while messages := consumer.consume(500, 3):
        for message in messages:
            data = _sized(message.key()) + _sized(message.value())
            found.setdefault((data[4:6], len(data)), Recorded(OFFSETS_TOPIC, data))
    consumer.close()
    return sorted(found.values(), key=lambda entry: len(entry.data))[:most]


def _sized(data: bytes | None) -> bytes:
    return b"\xff" * 4 if data is None else len(data).to_bytes(4, "big") + data


def _read(step: Callable[[], int], count: int) -> None:
    read = 0

    def enough() -> bool:
        nonlocal read
        read += step()
        return read >= count

    eventually("all is read", enough)
