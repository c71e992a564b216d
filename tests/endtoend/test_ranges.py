"""Ranges of what other clients wrote: each has the records that reading without an end finds there, and ends.

A range may begin or end at a transaction's marker, amid an aborted transaction, or where compaction emptied the log.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest
from confluent_kafka import Producer

from kafka_nextgen import Consumer, OffsetOutOfRangeError, OffsetRange, Record, TopicPartition, UnknownTopicError
from tests.endtoend.reading import poll_until
from tests.endtoend.transacting import TIMEOUT_S, send, transactional_producer
from tests.support.clients import create_named_topic, delete_topic, idempotent_producer, produce, unique
from tests.support.kafka_server import KafkaServer
from tests.support.waiting import GUARD_S, eventually

LEVELS = ["read_uncommitted", "read_committed"]
#: A consumer that waits for more than a range has left waits longer than any test.
NO_WAIT: dict[str, object] = {"fetch_max_wait_ms": 20_000, "fetch_min_bytes": 10_000_000}


def create(kafka: KafkaServer, prefix: str, **config: str) -> TopicPartition:
    """Create a topic of one partition with this configuration; underscores stand for points."""
    topic = unique(prefix)
    create_named_topic(
        kafka.bootstrap_servers, topic, config={key.replace("_", "."): value for key, value in config.items()}
    )
    return TopicPartition(topic, 0)


def new_consumer(kafka: KafkaServer, **more: object) -> Consumer:
    return Consumer(**{"bootstrap_servers": kafka.bootstrap_servers, **NO_WAIT, **more})


def all_of(consumer: Consumer, partition: TopicPartition) -> list[Record]:
    """All records of a log, read without an end."""
    (end,) = consumer.end_offsets([partition]).values()
    consumer.assign([partition])
    consumer.seek_to_beginning()
    return poll_until([consumer], lambda: consumer.position(partition) == end)


def check(consumer: Consumer, partition: TopicPartition, everything: list[Record], start: int, end: int) -> None:
    """Read the range, and compare it with what lies there."""
    consumer.assign({partition: OffsetRange(start, end)})
    found = [(record.offset, record.key, record.value) for record in consumer]
    assert found == [(each.offset, each.key, each.value) for each in everything if start <= each.offset < end]
    assert consumer.finished() == {partition}
    assert consumer.position(partition) == max(start, end)


# ---- transactions


@pytest.fixture(scope="module")
def ledger(kafka: KafkaServer) -> TopicPartition:
    """Two producers' transactions ended in every way, the one amid the other: a marker lies at the end, too."""
    partition = create(kafka, "ledger")
    one, other = (transactional_producer(kafka.bootstrap_servers, unique("writer")) for _ in range(2))
    for is_kept in (True, False, True):
        one.begin_transaction()
        other.begin_transaction()
        send(one, partition.topic, "one-1", "one-2")
        send(other, partition.topic, "other-1")
        _end(one, is_kept)
        send(other, partition.topic, "other-2")
        _end(other, not is_kept)
    with new_consumer(kafka, isolation_level="read_committed") as stable, new_consumer(kafka) as latest:
        eventually("markers are written", lambda: stable.end_offsets([partition]) == latest.end_offsets([partition]))
    return partition


def _end(producer: Producer, is_kept: bool) -> None:
    (producer.commit_transaction if is_kept else producer.abort_transaction)(TIMEOUT_S)


@pytest.mark.parametrize("level", LEVELS)
def test_a_range_may_begin_and_end_anywhere_in_transactions(
    kafka: KafkaServer, ledger: TopicPartition, level: str
) -> None:
    with new_consumer(kafka, isolation_level=level, fetch_min_bytes=1, fetch_max_wait_ms=20) as consumer:
        everything = all_of(consumer, ledger)
        (stop,) = consumer.end_offsets([ledger]).values()
    assert (len(everything), stop) == ({"read_uncommitted": 12, "read_committed": 6}[level], 18)
    with new_consumer(kafka, isolation_level=level) as consumer:
        for start in range(stop + 1):
            for end in range(stop + 1):
                check(consumer, ledger, everything, start, end)


def test_a_range_waits_for_the_end_of_a_transaction(kafka: KafkaServer) -> None:
    partition = create(kafka, "open")
    writer = transactional_producer(kafka.bootstrap_servers, unique("writer"))
    writer.begin_transaction()
    send(writer, partition.topic, "one", "two")
    with new_consumer(kafka, isolation_level="read_committed", fetch_max_wait_ms=100) as consumer:
        consumer.assign({partition: OffsetRange(0, 3)})
        assert len(consumer.poll(timeout=1)) == 0
        assert consumer.finished() == frozenset()
        writer.commit_transaction(TIMEOUT_S)
        assert [record.value for record in consumer] == [b"one", b"two"]


# ---- compaction

RECORDS = 4_000


@pytest.fixture(scope="module")
def compacted(kafka: KafkaServer) -> TopicPartition:
    """A log in which every 97th record is left, with gaps between them that whole batches were in."""
    partition = create(kafka, "compacted", cleanup_policy="compact", segment_ms="100")
    producer = idempotent_producer(kafka.bootstrap_servers)
    for number in range(RECORDS):
        key = f"kept {number}" if number % 97 == 0 else f"seldom {number % 7}"
        producer.produce(partition.topic, key=key, value=b"%08d" % number + b"." * 1000, partition=0)
        if number % 10 == 9:
            assert producer.flush(GUARD_S) == 0

    def is_compacted() -> bool:
        producer.produce(partition.topic, key=b"roll", value=b"." * 100, partition=0)
        assert producer.flush(GUARD_S) == 0
        consumer.assign({partition: OffsetRange(0, 900)})
        first = len(list(consumer))
        consumer.assign({partition: OffsetRange(0, RECORDS)})
        return first == 10 and len(list(consumer)) < RECORDS / 2

    with new_consumer(kafka) as consumer:
        eventually("the log is compacted", is_compacted)
    return partition


def test_a_range_may_begin_and_end_where_compaction_emptied_the_log(
    kafka: KafkaServer, compacted: TopicPartition
) -> None:
    with new_consumer(kafka, fetch_min_bytes=1, fetch_max_wait_ms=20) as consumer:
        everything = all_of(consumer, compacted)
    ends = [0, 1, 96, 97, 98, 150, 193, 194, 195, 500, 900, 970, 971]
    with new_consumer(kafka) as consumer:
        for start in ends:
            for end in ends:
                check(consumer, compacted, everything, start, end)


# ---- what comes of it

SCHEMA = pa.schema(
    [
        ("timestampType", pa.int32()),
        ("value", pa.binary()),
        ("topic", pa.string()),
        ("timestamp", pa.timestamp("us", "UTC")),
        ("offset", pa.int64()),
    ]
)


@pytest.mark.parametrize(("set_by", "number"), [("CreateTime", 0), ("LogAppendTime", 1)])
def test_records_in_arrow_tell_who_set_the_timestamp(kafka: KafkaServer, set_by: str, number: int) -> None:
    partition = create(kafka, "timed", message_timestamp_type=set_by)
    producer = idempotent_producer(kafka.bootstrap_servers)
    for offset in range(10):
        producer.produce(partition.topic, b"%d" % offset, partition=0, timestamp=1_700_000_000_000 + offset)
    assert producer.flush(GUARD_S) == 0
    with new_consumer(kafka) as consumer:
        consumer.assign({partition: OffsetRange(3, 7)})
        table = pa.concat_tables(batch.to_arrow(SCHEMA) for batch in consumer.batches())
    table.validate(full=True)
    assert table.schema == SCHEMA
    assert table.drop_columns(["timestamp"]).to_pylist() == [
        {"timestampType": number, "value": b"%d" % offset, "topic": partition.topic, "offset": offset}
        for offset in range(3, 7)
    ]
    created = [1_700_000_000_000_000 + 1000 * offset for offset in range(3, 7)]
    assert (table["timestamp"].cast(pa.int64()).to_pylist() == created) == (set_by == "CreateTime")


# ---- what is not there


@pytest.fixture
def consumer(kafka: KafkaServer) -> Iterator[Consumer]:
    with new_consumer(kafka, auto_offset_reset="earliest") as consumer:
        yield consumer


def test_a_range_behind_the_end_of_the_log_is_an_error(kafka: KafkaServer, consumer: Consumer) -> None:
    partition = create(kafka, "short")
    produce(kafka.bootstrap_servers, partition.topic, 5)
    consumer.assign({partition: OffsetRange(6, 8)})
    with pytest.raises(OffsetOutOfRangeError, match="offset 6"):
        consumer.poll(GUARD_S)
    consumer.seek(partition, 4)
    assert [record.offset for record in consumer.poll(GUARD_S)] == [4]


def test_a_topic_made_again_is_not_read_in_its_place(kafka: KafkaServer, consumer: Consumer) -> None:
    partition = create(kafka, "again")
    produce(kafka.bootstrap_servers, partition.topic, 5)
    consumer.assign({partition: OffsetRange(0, 8)})
    assert len(poll_until([consumer], lambda: consumer.position(partition) == 5)) == 5
    delete_topic(kafka.bootstrap_servers, partition.topic)
    with pytest.raises(UnknownTopicError, match="can't be read at offset 5"):
        consumer.poll(GUARD_S)
    create_named_topic(kafka.bootstrap_servers, partition.topic)
    produce(kafka.bootstrap_servers, partition.topic, 20)
    with pytest.raises(UnknownTopicError, match="created again"):
        poll_until([consumer], lambda: consumer.position(partition) > 5)
