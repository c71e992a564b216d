"""Legal but odd: whatever a broker stores, and Kafka's own consumer or librdkafka delivers, we deliver.

Each batch of ``ODD_BATCHES`` is produced as it is, to a partition of its own. What Kafka refuses is in ``REFUSED``;
nothing else may be missing from what we read. librdkafka is the witness beside us, but for what it fails to read
itself (``OURS_ALONE``), which Kafka's console consumer was seen to print.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import confluent_kafka
import pytest

from kafka_nextgen import Consumer, Record, TopicPartition
from kafka_nextgen.codes import ErrorCode
from tests.support.clients import create_topic
from tests.support.kafka_server import KafkaServer
from tests.support.odd_batches import CONTRADICTORY, ODD_BATCHES, REFUSED
from tests.support.waiting import GUARD_S, eventually
from tests.testing.broker.client import Client
from tests.testing.broker.requests import produce

NAMES = tuple(ODD_BATCHES)

#: Where Kafka's own consumer delivers and librdkafka 2.16 does not, or less: nothing at all, or the first record only.
OURS_ALONE = {
    *("key of length -2", "value of length -2", "value of a large negative length", "compressed lengths of -2"),
    *("number of more than 32 bits", "gzip of two members", "snappy xerial twice", "lz4 with garbage behind"),
}

#: What the keys of headers become that confluent-kafka can't make text of, or cuts at a zero.
HEADER_KEYS: Mapping[str, Sequence[str]] = {
    "header key not UTF-8": ["caf\ufffd"],
    "header key cut UTF-8": ["\ufffd"],
    "header key a surrogate": ["\ufffd\ufffd\ufffd"],
    "header key with NUL": ["a\0b"],
    "header value of length -2": ["a"],
    "compressed header key not UTF-8": ["\ufffd", "\ufffd"],
    "compressed lengths of -2": ["a"],
}


@pytest.fixture(scope="module")
def topic(kafka: KafkaServer) -> str:
    return create_topic(kafka.bootstrap_servers, "odd", len(NAMES))


@pytest.fixture(scope="module")
def stored(kafka: KafkaServer, topic: str) -> Mapping[str, int]:
    """The partitions of the batches that were taken."""
    with Client(kafka.bootstrap_servers) as client:
        refused = {name for name in NAMES if not is_taken(client, topic, name)}
    assert refused == REFUSED
    return {name: NAMES.index(name) for name in NAMES if name not in refused}


@pytest.fixture(scope="module")
def ours(kafka: KafkaServer, topic: str, stored: Mapping[str, int]) -> Mapping[str, list[Record]]:
    found: dict[str, list[Record]] = {name: [] for name in stored}
    wanted = sum(counted(name) for name in stored)
    with Consumer(bootstrap_servers=kafka.bootstrap_servers, auto_offset_reset="earliest") as consumer:
        consumer.assign([TopicPartition(topic, partition) for partition in stored.values()])
        for record in consumer:
            found[NAMES[record.partition]].append(record)
            if sum(map(len, found.values())) == wanted:
                break
    return found


def is_taken(client: Client, topic: str, name: str) -> bool:
    """Produce a batch, once its partition has a leader; False if it is refused."""
    errors: list[int] = []

    def is_answered() -> bool:
        errors.append(produce(client, topic, ODD_BATCHES[name], partition=NAMES.index(name)).error_code)
        return errors[-1] not in (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)

    eventually(f"the partition for {name} has a leader", is_answered)
    return errors[-1] == ErrorCode.NONE


def counted(name: str) -> int:
    return int.from_bytes(ODD_BATCHES[name][57:61], "big")


def test_every_record_that_is_stored_is_delivered_once(
    stored: Mapping[str, int], ours: Mapping[str, list[Record]]
) -> None:
    offsets = {name: [record.offset for record in records] for name, records in ours.items()}
    assert offsets == {name: list(range(counted(name))) for name in stored}


def test_librdkafka_delivers_the_same(
    kafka: KafkaServer, topic: str, stored: Mapping[str, int], ours: Mapping[str, list[Record]]
) -> None:
    names = [name for name in stored if name not in OURS_ALONE | CONTRADICTORY]
    theirs = dict.fromkeys(names, ()) | read_by_librdkafka(kafka, topic, {stored[name]: name for name in names})
    expected = {name: tuple(fields_of(record) for record in ours[name]) for name in names}
    assert theirs == expected


def read_by_librdkafka(kafka: KafkaServer, topic: str, names: Mapping[int, str]) -> dict[str, tuple[Any, ...]]:
    left = sum(map(counted, names.values()))
    found: dict[str, tuple[Any, ...]] = {}
    consumer = confluent_kafka.Consumer({"bootstrap.servers": kafka.bootstrap_servers, "group.id": "witness"})
    consumer.assign([confluent_kafka.TopicPartition(topic, partition, 0) for partition in names])
    for message in consumer.consume(left, GUARD_S):
        assert message.error() is None
        name = names[message.partition()]
        fields = (message.offset(), message.timestamp()[1], message.key(), message.value())
        found[name] = (*found.get(name, ()), (*fields, headers_of(name, message)))
    consumer.close()
    return found


def headers_of(name: str, message: confluent_kafka.Message) -> object:
    return None if name in HEADER_KEYS else tuple(message.headers() or ())


def fields_of(record: Record) -> tuple[Any, ...]:
    headers = None if NAMES[record.partition] in HEADER_KEYS else record.headers
    return record.offset, record.timestamp, record.key, record.value, headers


def test_keys_of_headers_are_text(stored: Mapping[str, int], ours: Mapping[str, list[Record]]) -> None:
    keys = {name: [key for record in ours[name] for key, _ in record.headers] for name in HEADER_KEYS}
    assert keys == HEADER_KEYS


def test_what_ours_alone_reads_is_what_kafka_s_consumer_prints(ours: Mapping[str, list[Record]]) -> None:
    read = {name: [(record.key, record.value) for record in ours[name]] for name in OURS_ALONE}
    both = [(b"key", b"value"), (b"second", b"value")]
    assert read == {
        "key of length -2": [(None, b"value")],
        "value of length -2": [(b"key", None)],
        "value of a large negative length": [(b"key", None)],
        "compressed lengths of -2": [(None, None), (b"key", b"value")],
        "number of more than 32 bits": [(b"key", b"value")],
        "gzip of two members": both,
        "snappy xerial twice": both,
        "lz4 with garbage behind": both,
    }


def test_arrow_has_the_same_text(kafka: KafkaServer, topic: str, stored: Mapping[str, int]) -> None:
    partition = TopicPartition(topic, stored["header key not UTF-8"])
    with Consumer(bootstrap_servers=kafka.bootstrap_servers, auto_offset_reset="earliest") as consumer:
        consumer.assign([partition])
        table = consumer.poll(timeout=GUARD_S).to_arrow()
    table.validate(full=True)
    assert table["headers"].to_pylist() == [[{"key": "caf\ufffd", "value": b"1"}]]
