"""Topics with what a log may hold. All but the odd one are written by confluent-kafka.

Compaction leaves gaps where records were superseded. Each transaction ends with a marker, some logs end with one. These
offsets have no record.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from attrs import define, field, frozen
from confluent_kafka import Consumer, KafkaException, Producer

from tests.endtoend.transacting import TIMEOUT_S, read_to_end, transactional_producer
from tests.support.clients import create_topic, unique
from tests.support.odd_batches import CONTRADICTORY, ODD_BATCHES, REFUSED
from tests.support.waiting import eventually
from tests.testing.broker.client import Client
from tests.testing.broker.requests import produce

CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
PARTITIONS = 3
T0_MS = 1_700_000_000_123
STEP_MS = 997

#: The time between two rounds of writing to the compacted topic, after which a segment is full.
ROUND_MS = 10_000

#: However old its records are.
KEPT = {"retention.ms": "-1"}

#: The built-in source fails at a timestamp whose microseconds have more than 64 bits. Java has one replacement
#: character for a surrogate, Python three.
NOT_LIKE_SPARK = {"timestamp beyond 64 bits", "header key a surrogate"}

HEADERS: Sequence[Sequence[tuple[str, bytes | None]]] = (
    (),
    (("a", b"1"),),
    (("a", b"1"), ("a", b"2"), ("A", b"")),
    (("", b"of an empty key"), ("null", None)),
    (("größe", b"\xff\x00"),),
)


@frozen
class Topic:
    """A topic, and how many of its records are read: by default, and as ``read_committed``."""

    name: str
    records: int
    committed: int = field()

    @committed.default
    def _all(self) -> int:
        return self.records


def write(
    bootstrap_servers: str, topic: str, values: Iterable[bytes | None], partition: int = 0, **config: Any
) -> None:
    """Write values to a partition; return once they are acknowledged."""
    producer = Producer({"bootstrap.servers": bootstrap_servers, "linger.ms": 5, "log_level": 0, **config})
    for value in values:
        producer.produce(topic, value, partition=partition)
    assert producer.flush(TIMEOUT_S) == 0


@define
class Topics:
    """What writes the topics; an open transaction lasts as long as this object."""

    bootstrap_servers: str
    _open: list[Producer] = field(factory=list)

    def close(self) -> None:
        """End the open transaction, unless Kafka has, after 15 minutes, and fenced the producer."""
        for producer in self._open:
            with suppress(KafkaException):
                producer.abort_transaction(TIMEOUT_S)

    def of_every_kind(self) -> dict[str, Topic]:
        """Write them all."""
        compacted = self._compacted()  # while it is cleaned, the others are written
        topics = {
            "nulls and headers": self._nulls_and_headers(),
            "codecs": self._codecs(),
            "log append time": self._nulls_and_headers("LogAppendTime"),
            "transactions": self._transactions(),
            "odd batches": self._odd_batches(),
        }
        return {**topics, "compacted": self._cleaned(compacted)}

    def _nulls_and_headers(self, timestamps: str = "CreateTime") -> Topic:
        config = {"message.timestamp.type": timestamps, **KEPT}
        topic = create_topic(self.bootstrap_servers, "odds", PARTITIONS, config)
        producer = Producer({"bootstrap.servers": self.bootstrap_servers, "linger.ms": 5})
        contents: Sequence[bytes | None] = (None, b"", b"x", "ü".encode(), bytes(range(256)))
        number = 0
        for key in contents:
            for value in contents:
                for headers in HEADERS:
                    time = T0_MS + number * STEP_MS
                    producer.produce(topic, value, key, number % PARTITIONS, headers=list(headers), timestamp=time)
                    number += 1
        assert producer.flush(TIMEOUT_S) == 0
        return Topic(topic, number)

    def _codecs(self) -> Topic:
        topic = create_topic(self.bootstrap_servers, "codecs", len(CODECS))
        for partition, codec in enumerate(CODECS):
            values = [b"%d of %d %s" % (number, partition, b"abc" * 40) for number in range(1_000)]
            write(self.bootstrap_servers, topic, values, partition, **{"compression.type": codec})
        return Topic(topic, 1_000 * len(CODECS))

    def _transactions(self) -> Topic:
        """Partition 0 ends with the marker of a commit, 1 with that of an abort, 2 has no committed record."""
        topic = create_topic(self.bootstrap_servers, "transactions", PARTITIONS + 1)
        producer = transactional_producer(self.bootstrap_servers, unique("writer"))
        rounds = [(True, (0, 1)), (False, (0, 1, 2)), (True, (0,)), (False, (1, 2)), (True, (0, 3))]
        for commits, partitions in rounds:
            producer.begin_transaction()
            _send_ten_to(producer, topic, partitions)
            (producer.commit_transaction if commits else producer.abort_transaction)(TIMEOUT_S)
        unfinished = transactional_producer(
            self.bootstrap_servers, unique("writer"), **{"transaction.timeout.ms": 900_000}
        )
        unfinished.begin_transaction()
        _send_ten_to(unfinished, topic, [3])
        self._open.append(unfinished)
        return Topic(topic, 110, committed=50)

    def _odd_batches(self) -> Topic:
        topic = create_topic(self.bootstrap_servers, "odd", PARTITIONS, KEPT)
        for partition in range(PARTITIONS):
            write(self.bootstrap_servers, topic, [b"first"], partition)  # then it has a leader
        batches = [batch for name, batch in ODD_BATCHES.items() if name not in REFUSED | CONTRADICTORY | NOT_LIKE_SPARK]
        with Client(self.bootstrap_servers) as client:
            for number, batch in enumerate(batches):
                answer = produce(client, topic, batch, partition=number % PARTITIONS)
                assert answer.error_code == 0, answer
        return Topic(topic, PARTITIONS + sum(int.from_bytes(batch[57:61], "big") for batch in batches))

    def _compacted(self) -> str:
        """Five rounds of ten keys, each in a segment of its own."""
        config = {"cleanup.policy": "compact", "segment.ms": str(ROUND_MS), "min.cleanable.dirty.ratio": "0.01"}
        topic = create_topic(self.bootstrap_servers, "compacted", 1, config)
        producer = Producer({"bootstrap.servers": self.bootstrap_servers, "linger.ms": 5})
        for number in range(50):
            time = T0_MS + number // 10 * (ROUND_MS + 1)
            producer.produce(topic, b"%d" % number, b"key %d" % (number % 10), timestamp=time)
            producer.flush(TIMEOUT_S) if number % 10 == 9 else None
        return topic

    def _cleaned(self, topic: str) -> Topic:
        config = {
            "bootstrap.servers": self.bootstrap_servers,
            "group.id": unique("reader"),
            "enable.partition.eof": True,
        }
        consumer = Consumer(config)
        left = 50

        def is_cleaned() -> bool:
            nonlocal left
            left = len(read_to_end(consumer, topic))
            return left == 20  # the last segment is never cleaned

        eventually(f"{topic} is compacted", is_cleaned)
        consumer.close()
        return Topic(topic, left)


def _send_ten_to(producer: Producer, topic: str, partitions: Iterable[int]) -> None:
    for partition in partitions:
        for number in range(10):
            producer.produce(topic, b"%d" % number, partition=partition)
    assert producer.flush(TIMEOUT_S) == 0
