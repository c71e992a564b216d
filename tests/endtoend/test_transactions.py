"""Transactions as a producer and a consumer see them: committed, aborted, fenced, and with the offsets of a group.

Kafka confirms a commit before the markers are in the logs: until then its records are not read, and what others write
meanwhile comes before its marker.

The client is confluent-kafka's, whose consumer drops what was aborted by what the broker tells it (KIP-98). What that
is on the wire, by release, is in ``test_fetch``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition

from tests.endtoend.transacting import TIMEOUT_S, read_to_end, send, transactional_producer
from tests.support.clients import create_topic, unique
from tests.support.kafka_server import KafkaServer
from tests.support.waiting import eventually


@pytest.fixture
def topic(kafka: KafkaServer) -> str:
    return create_topic(kafka.bootstrap_servers, "ledger")


@pytest.fixture
def new_producer(kafka: KafkaServer) -> Callable[..., Producer]:
    return partial(transactional_producer, kafka.bootstrap_servers)


@pytest.fixture
def new_consumer(kafka: KafkaServer) -> Iterator[Callable[..., Consumer]]:
    made: list[Consumer] = []

    def make(group: str = "", **config: Any) -> Consumer:
        settings = {
            "bootstrap.servers": kafka.bootstrap_servers,
            "group.id": group or unique("readers"),
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "fetch.wait.max.ms": 10,
            "log_level": 0,
        }
        made.append(Consumer({**settings, **config}))
        return made[-1]

    yield make
    for consumer in made:
        consumer.close()


def error_of(call: Callable[[], object]) -> int:
    with pytest.raises(KafkaException) as raised:
        call()
    code: int = raised.value.args[0].code()
    return code


def watermarks_of(consumer: Consumer, topic: str) -> tuple[int, int]:
    """Ask for the first offset of partition 0 and the end of what this consumer may read."""
    return consumer.get_watermark_offsets(TopicPartition(topic, 0), timeout=TIMEOUT_S)


def test_committed_records_are_read_and_aborted_ones_are_not(
    topic: str, new_producer: Callable[..., Producer], new_consumer: Callable[..., Consumer]
) -> None:
    producer = new_producer(unique("writer"))
    for values, ends in [(("a", "b"), True), (("c",), False), (("d",), True), (("e", "f"), False)]:
        producer.begin_transaction()
        send(producer, topic, *values)
        producer.commit_transaction(TIMEOUT_S) if ends else producer.abort_transaction(TIMEOUT_S)
    committed, everything = new_consumer(), new_consumer(**{"isolation.level": "read_uncommitted"})
    assert read_to_end(committed, topic) == ["a", "b", "d"]
    assert read_to_end(everything, topic) == ["a", "b", "c", "d", "e", "f"]


def test_nothing_is_read_beyond_an_open_transaction(
    topic: str, new_producer: Callable[..., Producer], new_consumer: Callable[..., Consumer]
) -> None:
    slow, quick = new_producer(unique("slow")), new_producer(unique("quick"))
    consumer = new_consumer()
    quick.begin_transaction()
    send(quick, topic, "before")
    quick.commit_transaction(TIMEOUT_S)
    eventually("the marker of the first is there", lambda: watermarks_of(consumer, topic) == (0, 2))
    slow.begin_transaction()
    send(slow, topic, "slow")
    quick.begin_transaction()
    send(quick, topic, "after")
    quick.commit_transaction(TIMEOUT_S)
    assert read_to_end(consumer, topic) == ["before"]
    assert watermarks_of(consumer, topic) == (0, 2)
    slow.commit_transaction(TIMEOUT_S)
    eventually("all is read", lambda: read_to_end(consumer, topic) == ["before", "slow", "after"])


def test_a_producer_that_was_replaced_is_fenced(
    topic: str, new_producer: Callable[..., Producer], new_consumer: Callable[..., Consumer]
) -> None:
    name = unique("writer")
    zombie = new_producer(name)
    zombie.begin_transaction()
    send(zombie, topic, "zombie")
    successor = new_producer(name)
    successor.begin_transaction()
    send(successor, topic, "successor")
    successor.commit_transaction(TIMEOUT_S)
    assert error_of(lambda: zombie.commit_transaction(TIMEOUT_S)) == KafkaError._FENCED
    consumer = new_consumer()
    eventually("the successor's is read", lambda: read_to_end(consumer, topic) == ["successor"])


def test_offsets_are_committed_with_the_transaction_or_not_at_all(
    topic: str, new_producer: Callable[..., Producer], new_consumer: Callable[..., Consumer]
) -> None:
    producer = new_producer(unique("mover"))
    source = TopicPartition(topic, 0)
    consumer = new_consumer(unique("movers"))

    def committed() -> int:
        (found,) = consumer.committed([source], TIMEOUT_S)
        offset: int = found.offset
        return offset

    for offset, ends in [(5, True), (9, False)]:
        producer.begin_transaction()
        send(producer, topic, "moved")
        metadata = consumer.consumer_group_metadata()
        producer.send_offsets_to_transaction([TopicPartition(topic, 0, offset)], metadata, TIMEOUT_S)
        producer.commit_transaction(TIMEOUT_S) if ends else producer.abort_transaction(TIMEOUT_S)
        assert committed() == 5


def test_a_transaction_that_takes_too_long_is_aborted(
    topic: str, new_producer: Callable[..., Producer], new_consumer: Callable[..., Consumer]
) -> None:
    producer = new_producer(unique("sleeper"), **{"transaction.timeout.ms": 1_000, "message.timeout.ms": 1_000})
    producer.begin_transaction()
    send(producer, topic, "late")
    consumer = new_consumer()
    eventually("the transaction is over", lambda: watermarks_of(consumer, topic) == (0, 2), TIMEOUT_S)
    assert read_to_end(consumer, topic) == []
    assert error_of(lambda: producer.commit_transaction(TIMEOUT_S)) == KafkaError._FENCED
