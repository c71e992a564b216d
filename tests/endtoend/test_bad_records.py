"""Records that can't be deserialized: what is committed behind the error, and what comes next."""

from __future__ import annotations

import pytest

from kafka_nextgen import Consumer, DeserializationError, TopicPartition
from tests.endtoend.reading import config_of
from tests.support.clients import create_topic, quick_producer, unique
from tests.support.kafka_server import KafkaServer

PARTITIONS = range(3)


def deserialize(data: bytes) -> str:
    if data == b"1-5":
        raise ValueError("bad")
    return data.decode()


@pytest.fixture
def topic(kafka: KafkaServer) -> str:
    """Return a topic of three partitions with ten records each, one of which is bad."""
    topic = create_topic(kafka.bootstrap_servers, "bad", partitions=len(PARTITIONS))
    producer = quick_producer(kafka.bootstrap_servers)
    for partition in PARTITIONS:
        for number in range(10):
            producer.produce(topic, f"{partition}-{number}", partition=partition)
    assert producer.flush(30) == 0
    return topic


def committed(consumer: Consumer, topic: str) -> list[int]:
    found = consumer.committed([TopicPartition(topic, partition) for partition in PARTITIONS])
    return [0 if offset is None else offset.offset for offset in found.values()]


def test_the_natural_loop_around_a_bad_record_loses_nothing(kafka: KafkaServer, protocol: str, topic: str) -> None:
    config = config_of(kafka, unique("bad"), protocol, value_deserializer=deserialize)
    seen: list[object] = []
    errors = 0
    with Consumer(**config) as consumer:
        consumer.subscribe([topic])
        while len(seen) < 29:
            try:
                for record in consumer.poll(timeout=0.2):
                    seen.append(record.value)  # noqa: PERF401  (as applications write it)
            except DeserializationError as error:
                errors += 1
                if errors == 3:
                    consumer.seek(error.partition, error.offset + 1)
            consumer.commit()
            counts = [sum(str(value).startswith(f"{p}-") for value in seen) for p in PARTITIONS]
            assert committed(consumer, topic) == [counts[0], counts[1] + (errors == 3), counts[2]]
        assert errors == 3
    assert len(set(seen)) == 29, "none is missing, none came twice"


def test_another_member_goes_on_at_the_bad_record(kafka: KafkaServer, protocol: str, topic: str) -> None:
    group = unique("bad")
    with Consumer(**config_of(kafka, group, protocol, value_deserializer=deserialize)) as consumer:
        consumer.subscribe([topic])
        seen = []
        while len(seen) < 25:
            try:
                for record in consumer:
                    seen.append(record.value)  # noqa: PERF401  (as applications write it)
            except DeserializationError:
                consumer.commit()
    with Consumer(**config_of(kafka, group, protocol)) as consumer:
        consumer.subscribe([topic])
        assert next(consumer).value == b"1-5"
