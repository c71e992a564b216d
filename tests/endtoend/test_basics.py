"""One consumer alone, by both protocols: it joins, reads, commits and leaves, and its successor goes on from there."""

from __future__ import annotations

import asyncio

import pytest

from kafka_nextgen import AsyncConsumer, Consumer, OffsetOutOfRangeError, TimestampType, TopicPartition
from tests.endtoend.reading import config_of, numbers, poll_until, read, read_async
from tests.support.clients import create_topic, members_of, produce, quick_producer, stored_offsets
from tests.support.kafka_server import KafkaServer
from tests.support.waiting import GUARD_S


@pytest.fixture(scope="module")
def kafka(every_kafka: KafkaServer) -> KafkaServer:
    return every_kafka


@pytest.fixture
def topic(kafka: KafkaServer) -> str:
    """Return a topic of two partitions with records 0 to 199."""
    topic = create_topic(kafka.bootstrap_servers, "basics", partitions=2)
    produce(kafka.bootstrap_servers, topic, 200, partitions=2)
    return topic


def test_a_consumer_joins_reads_commits_and_leaves(kafka: KafkaServer, protocol: str, topic: str, group: str) -> None:
    with Consumer(**config_of(kafka, group, protocol)) as consumer:
        consumer.subscribe([topic])
        assert numbers(read(consumer, 200)) == list(range(200))
        assert consumer.assignment() == {TopicPartition(topic, 0), TopicPartition(topic, 1)}
        assert list(members_of(kafka.bootstrap_servers, group).values()) == [{0, 1}]
        consumer.commit()
        assert stored_offsets(kafka.bootstrap_servers, group) == {0: 100, 1: 100}
    assert members_of(kafka.bootstrap_servers, group) == {}


def test_an_async_consumer_does_the_same(kafka: KafkaServer, protocol: str, topic: str, group: str) -> None:
    async def main() -> None:
        async with AsyncConsumer(**config_of(kafka, group, protocol)) as consumer:
            await consumer.subscribe([topic])
            assert numbers(await read_async(consumer, 200)) == list(range(200))
            assert consumer.assignment() == {TopicPartition(topic, 0), TopicPartition(topic, 1)}
            await consumer.commit()

    asyncio.run(main())
    assert stored_offsets(kafka.bootstrap_servers, group) == {0: 100, 1: 100}
    assert members_of(kafka.bootstrap_servers, group) == {}


def test_a_record_tells_what_was_produced(kafka: KafkaServer, protocol: str, group: str) -> None:
    topic = create_topic(kafka.bootstrap_servers, "record")
    producer = quick_producer(kafka.bootstrap_servers)
    headers: list[tuple[str, bytes | str | None]] = [("a", b"1"), ("a", None), ("b", b"")]
    producer.produce(topic, key=b"k", value=b"v", timestamp=1_700_000_000_000, headers=headers)
    producer.produce(topic, key=None, value=None, timestamp=1_700_000_000_001)
    assert producer.flush(GUARD_S) == 0
    with Consumer(**config_of(kafka, group, protocol)) as consumer:
        consumer.subscribe([topic])
        full, empty = read(consumer, 2)
    assert (full.topic, full.partition, full.offset, full.leader_epoch) == (topic, 0, 0, 0)
    assert (full.key, full.value, full.headers) == (b"k", b"v", (("a", b"1"), ("a", None), ("b", b"")))
    assert (full.timestamp, full.timestamp_type) == (1_700_000_000_000, TimestampType.CREATE_TIME)
    assert (empty.offset, empty.key, empty.value, empty.headers) == (1, None, None, ())


def test_the_next_consumer_resumes_at_the_committed_offset(
    kafka: KafkaServer, protocol: str, topic: str, group: str
) -> None:
    with Consumer(**config_of(kafka, group, protocol, max_poll_records=50)) as first:
        first.subscribe([topic])
        before = read(first, 50)
        first.commit()
        assert len(read(first, 50)) == 50, "these are read, but not committed"
    with Consumer(**config_of(kafka, group, protocol)) as second:
        second.subscribe([topic])
        after = read(second, 150)
    assert numbers([*before, *after]) == list(range(200))


def test_auto_commit_covers_what_was_handed_over_when_the_consumer_closes(
    kafka: KafkaServer, protocol: str, topic: str, group: str
) -> None:
    with Consumer(**config_of(kafka, group, protocol, enable_auto_commit=True)) as consumer:
        consumer.subscribe([topic])
        read(consumer, 200)
    assert stored_offsets(kafka.bootstrap_servers, group) == {0: 100, 1: 100}


def test_latest_begins_behind_what_is_there(kafka: KafkaServer, protocol: str, topic: str, group: str) -> None:
    with Consumer(**config_of(kafka, group, protocol, auto_offset_reset="latest")) as consumer:
        consumer.subscribe([topic])
        poll_until([consumer], lambda: len(consumer.assignment()) == 2)
        assert {consumer.position(TopicPartition(topic, partition)) for partition in (0, 1)} == {100}
        produce(kafka.bootstrap_servers, topic, 10, partitions=2, first=200)
        assert numbers(read(consumer, 10)) == list(range(200, 210))


def test_none_refuses_to_choose_where_to_begin(kafka: KafkaServer, protocol: str, topic: str, group: str) -> None:
    with Consumer(**config_of(kafka, group, protocol, auto_offset_reset="none")) as consumer:
        consumer.subscribe([topic])
        with pytest.raises(OffsetOutOfRangeError, match=topic):
            poll_until([consumer], lambda: False)


@pytest.mark.parametrize("compression", ["gzip", "snappy", "lz4", "zstd"])
def test_compressed_batches_are_read(kafka: KafkaServer, group: str, compression: str) -> None:
    topic = create_topic(kafka.bootstrap_servers, compression)
    producer = quick_producer(kafka.bootstrap_servers, compression)
    values = [b"%d " % number * 200 for number in range(300)]  # repetitive, or the producer would not compress it
    for value in values:
        producer.produce(topic, value)
    assert producer.flush(GUARD_S) == 0
    with Consumer(**config_of(kafka, group)) as consumer:
        consumer.subscribe([topic])
        assert [record.value for record in read(consumer, 300)] == values
