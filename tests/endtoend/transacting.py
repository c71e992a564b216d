"""Transactions of confluent-kafka's producer, and what its consumer reads of them."""

from __future__ import annotations

from typing import Any

from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition

from tests.support.waiting import GUARD_S

TIMEOUT_S = GUARD_S


def transactional_producer(bootstrap_servers: str, transactional_id: str, **config: Any) -> Producer:
    """Make a producer that may begin transactions."""
    producer = Producer(
        {
            "bootstrap.servers": bootstrap_servers,
            "transactional.id": transactional_id,
            "log_level": 0,
            "linger.ms": 0,
            **config,
        }
    )
    producer.init_transactions(TIMEOUT_S)
    return producer


def send(producer: Producer, topic: str, *values: str) -> None:
    """Write values to partition 0 of a topic; return once they are acknowledged."""
    for value in values:
        producer.produce(topic, value.encode(), partition=0)
    assert producer.flush(TIMEOUT_S) == 0


def read_to_end(consumer: Consumer, topic: str, start: int = 0) -> list[str]:
    """Read partition 0 from an offset to where the broker says it ends."""
    consumer.assign([TopicPartition(topic, 0, start)])
    values: list[str] = []
    while True:
        message = consumer.poll(TIMEOUT_S)
        assert message is not None
        error = message.error()
        if error is None:
            values.append((message.value() or b"").decode())
        else:
            assert error.code() == KafkaError._PARTITION_EOF, error
            return values
