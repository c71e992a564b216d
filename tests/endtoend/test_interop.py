"""Two implementations of the consumer protocol in one group: confluent-kafka's and ours share a topic."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import confluent_kafka
import pytest
from attrs import define, field

from kafka_nextgen import Consumer, Record
from tests.endtoend.reading import PATIENCE_S, config_of, numbers, read
from tests.support.clients import create_topic, members_of, produce, stored_offsets, unique
from tests.support.kafka_server import KafkaServer

PARTITIONS = 4


@pytest.fixture(scope="module")
def kafka(every_kafka: KafkaServer) -> KafkaServer:
    return every_kafka


@define
class Pair:
    """Both consumers in one group, and what each was given."""

    kafka: KafkaServer
    topic: str
    group: str
    ours: Consumer
    theirs: confluent_kafka.Consumer
    our_records: list[Record] = field(factory=list)
    their_messages: list[confluent_kafka.Message] = field(factory=list)

    def read_until(self, what: str, is_so: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not is_so():
            assert time.monotonic() < deadline, f"not within {PATIENCE_S} s: {what}"
            self.our_records += self.ours.poll(timeout=0.1)
            self.their_messages += self.theirs.consume(500, timeout=0.1)

    def share(self) -> None:
        """Read until each has a half of the partitions, then read 400 records and commit them."""
        half = PARTITIONS // 2
        self.read_until("each has a half", lambda: len(self.ours.assignment()) == len(self.theirs.assignment()) == half)
        produce(self.kafka.bootstrap_servers, self.topic, 400, partitions=PARTITIONS)
        self.read_until("all is read", lambda: len(self.our_records) + len(self.their_messages) >= 400)
        self.ours.commit()
        self.theirs.commit(asynchronous=False)


@pytest.fixture
def pair(kafka: KafkaServer) -> Iterator[Pair]:
    topic, group = create_topic(kafka.bootstrap_servers, "interop", PARTITIONS), unique("interop")
    theirs = confluent_kafka.Consumer(
        {
            "bootstrap.servers": kafka.bootstrap_servers,
            "group.id": group,
            "group.protocol": "consumer",
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
        }
    )
    with Consumer(**config_of(kafka, group)) as ours:
        theirs.subscribe([topic])
        ours.subscribe([topic])
        yield Pair(kafka, topic, group, ours, theirs)
        theirs.close()


def test_both_get_partitions_and_each_record_is_read_once(pair: Pair) -> None:
    pair.share()
    assert numbers_of_both(pair) == list(range(400))
    assert len(pair.our_records) == len(pair.their_messages) == 200
    members = members_of(pair.kafka.bootstrap_servers, pair.group)
    assert sorted(map(len, members.values())) == [2, 2]
    assert stored_offsets(pair.kafka.bootstrap_servers, pair.group) == dict.fromkeys(range(PARTITIONS), 100)


def test_confluent_kafka_takes_over_what_ours_leaves(pair: Pair) -> None:
    pair.share()
    pair.ours.close()
    produce(pair.kafka.bootstrap_servers, pair.topic, 400, partitions=PARTITIONS, first=400)
    rest = pair.theirs.consume(400, timeout=PATIENCE_S)
    assert sorted(int(message.value() or b"") for message in rest) == list(range(400, 800))


def test_ours_takes_over_what_confluent_kafka_leaves(pair: Pair) -> None:
    pair.share()
    pair.theirs.close()
    produce(pair.kafka.bootstrap_servers, pair.topic, 400, partitions=PARTITIONS, first=400)
    assert numbers(read(pair.ours, 400)) == list(range(400, 800))


def numbers_of_both(pair: Pair) -> list[int]:
    theirs = [int(message.value() or b"") for message in pair.their_messages]
    return sorted([*numbers(pair.our_records), *theirs])
