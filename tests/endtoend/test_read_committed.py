"""``isolation.level``: which records of another client's transactions a consumer hands over, and where its log ends.

That offsets are committed with a transaction or not at all is in ``test_exactly_once``; what all of this is on the
wire, by release, in ``test_fetch``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from confluent_kafka import Consumer as PeerConsumer
from confluent_kafka import KafkaError, KafkaException, Producer

from kafka_nextgen import Consumer, TopicPartition
from kafka_nextgen.testing import Cluster
from tests.endtoend.reading import config_of, poll_until, read
from tests.endtoend.transacting import TIMEOUT_S, read_to_end, send, transactional_producer
from tests.support.clients import create_topic, unique
from tests.support.kafka_server import KafkaServer
from tests.support.waiting import eventually


@pytest.fixture
def topic(kafka: KafkaServer) -> str:
    return create_topic(kafka.bootstrap_servers, "ledger")


@pytest.fixture
def open_transaction(kafka: KafkaServer, topic: str) -> Producer:
    """Two producers' transactions ended in every way, the one amid the other; and one that is still open."""
    one, other = (transactional_producer(kafka.bootstrap_servers, unique("writer")) for _ in range(2))
    one.begin_transaction()
    other.begin_transaction()
    send(one, topic, "one-1", "one-2")
    send(other, topic, "other-1 aborted")
    send(one, topic, "one-3")
    one.commit_transaction(TIMEOUT_S)
    send(other, topic, "other-2 aborted")
    other.abort_transaction(TIMEOUT_S)
    one.begin_transaction()
    send(one, topic, "one-4 aborted")
    one.abort_transaction(TIMEOUT_S)
    other.begin_transaction()
    send(other, topic, "other-3")
    other.commit_transaction(TIMEOUT_S)
    one.begin_transaction()
    send(one, topic, "one-5 open")
    other.begin_transaction()
    send(other, topic, "other-4 behind it")
    other.commit_transaction(TIMEOUT_S)
    return one


COMMITTED = ["one-1", "one-2", "one-3", "other-3"]
BEHIND = ["one-5 open", "other-4 behind it"]
ABORTED = ["other-1 aborted", "other-2 aborted", "one-4 aborted"]


@pytest.fixture
def new_consumer(kafka: KafkaServer, topic: str) -> Iterator[Callable[[str], Consumer]]:
    made: list[Consumer] = []

    def make(level: str) -> Consumer:
        consumer = Consumer(**config_of(kafka, unique("readers"), isolation_level=level, fetch_max_wait_ms=20))
        made.append(consumer)
        consumer.assign([TopicPartition(topic, 0)])
        return consumer

    yield make
    for consumer in made:
        consumer.close()


def values_of(consumer: Consumer, count: int) -> list[str]:
    return [(record.value or b"").decode() for record in read(consumer, count)]


def test_committed_records_are_read_as_far_as_the_first_open_transaction(
    kafka: KafkaServer, topic: str, open_transaction: Producer, new_consumer: Callable[[str], Consumer]
) -> None:
    partition = TopicPartition(topic, 0)
    consumer = new_consumer("read_committed")
    assert values_of(consumer, 4) == COMMITTED
    (stable,) = consumer.end_offsets([partition]).values()
    poll_until([consumer], lambda: consumer.position(partition) == stable)
    assert consumer.lag() == {partition: 0}, "nobody can read on for now"
    consumer.seek_to_end([partition])
    assert consumer.position(partition) == stable
    open_transaction.commit_transaction(TIMEOUT_S)
    assert values_of(consumer, 2) == BEHIND


def test_from_any_offset_the_same_is_read_as_by_another_client(
    kafka: KafkaServer, topic: str, open_transaction: Producer, new_consumer: Callable[[str], Consumer]
) -> None:
    open_transaction.abort_transaction(TIMEOUT_S)
    peer = PeerConsumer(
        {
            "bootstrap.servers": kafka.bootstrap_servers,
            "group.id": unique("peers"),
            "enable.partition.eof": True,
            "fetch.wait.max.ms": 10,
        }
    )
    partition = TopicPartition(topic, 0)
    consumer, of_everything = new_consumer("read_committed"), new_consumer("read_uncommitted")
    eventually(
        "no transaction is open", lambda: consumer.end_offsets([partition]) == of_everything.end_offsets([partition])
    )
    (end,) = consumer.end_offsets([partition]).values()
    for start in range(end + 1):
        expected = read_to_end(peer, topic, start)
        consumer.seek(partition, start)
        came = poll_until([consumer], lambda: consumer.position(partition) == end)
        assert [(record.value or b"").decode() for record in came] == expected, start
    peer.close()


def test_read_uncommitted_is_the_default_and_reads_everything(
    topic: str, open_transaction: Producer, new_consumer: Callable[[str], Consumer]
) -> None:
    partition = TopicPartition(topic, 0)
    consumer = new_consumer("read_uncommitted")
    assert sorted(values_of(consumer, 9)) == sorted(COMMITTED + ABORTED + BEHIND)
    (end,) = consumer.end_offsets([partition]).values()
    poll_until([consumer], lambda: consumer.position(partition) == end)
    assert consumer.lag() == {partition: 0}


def test_a_producer_that_was_replaced_is_fenced(
    kafka: KafkaServer, topic: str, new_consumer: Callable[[str], Consumer]
) -> None:
    name = unique("writer")
    zombie = transactional_producer(kafka.bootstrap_servers, name)
    zombie.begin_transaction()
    send(zombie, topic, "zombie")
    successor = transactional_producer(kafka.bootstrap_servers, name)
    successor.begin_transaction()
    send(successor, topic, "successor")
    successor.commit_transaction(TIMEOUT_S)
    with pytest.raises(KafkaException) as raised:
        zombie.commit_transaction(TIMEOUT_S)
    assert raised.value.args[0].code() == KafkaError._FENCED
    assert values_of(new_consumer("read_committed"), 1) == ["successor"]


def check_that_it_is_aborted(kafka: KafkaServer | Cluster, timeout_s: int, wait: Callable[[], object]) -> None:
    topic = create_topic(kafka.bootstrap_servers, "ledger")
    limits = dict.fromkeys(("transaction.timeout.ms", "message.timeout.ms"), timeout_s * 1000)
    producer = transactional_producer(kafka.bootstrap_servers, unique("sleeper"), **limits)
    producer.begin_transaction()
    send(producer, topic, "late")
    wait()
    partition = TopicPartition(topic, 0)
    with Consumer(**config_of(kafka, unique("readers"), isolation_level="read_committed")) as consumer:
        eventually("the transaction is over", lambda: consumer.end_offsets([partition]) == {partition: 2})
        consumer.assign([partition])
        assert poll_until([consumer], lambda: consumer.position(partition) == 2) == []
    with pytest.raises(KafkaException) as raised:
        producer.commit_transaction(TIMEOUT_S)
    assert raised.value.args[0].code() == KafkaError._FENCED


def test_a_transaction_that_takes_too_long_is_aborted(turned: Cluster) -> None:
    check_that_it_is_aborted(turned, 60, lambda: turned.advance(seconds=75))


def test_so_it_is_by_kafka(real_kafka: KafkaServer) -> None:
    check_that_it_is_aborted(real_kafka, 10, lambda: None)
