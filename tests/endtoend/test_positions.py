"""Moving within partitions: seek, pause and resume, and asking where they begin and end."""

from __future__ import annotations

import time

import pytest

from kafka_nextgen import (
    Consumer,
    LogTruncationError,
    MisuseError,
    OffsetAndMetadata,
    RebalanceConsumer,
    TopicPartition,
)
from tests.endtoend.heard import Heard
from tests.endtoend.reading import config_of, numbers, poll_until, read
from tests.support.clients import create_topic, produce, quick_producer, unique
from tests.support.kafka_server import KafkaServer
from tests.support.waiting import GUARD_S


@pytest.fixture
def topic(kafka: KafkaServer) -> str:
    """Return a topic of two partitions with records 0 to 199."""
    topic = create_topic(kafka.bootstrap_servers, "positions", partitions=2)
    produce(kafka.bootstrap_servers, topic, 200, partitions=2)
    return topic


def test_seek_goes_on_elsewhere(kafka: KafkaServer, protocol: str, topic: str) -> None:
    first, second = TopicPartition(topic, 0), TopicPartition(topic, 1)
    with Consumer(**config_of(kafka, unique("seek"), protocol)) as consumer:
        with pytest.raises(MisuseError, match=topic):
            consumer.seek(first, 5)  # it is not assigned yet
        consumer.subscribe([topic])
        read(consumer, 200)
        consumer.seek(second, 97)
        assert numbers(read(consumer, 3)) == [195, 197, 199]
        assert consumer.position(second) == 100
        consumer.seek_to_beginning([first])
        assert numbers(read(consumer, 100)) == list(range(0, 200, 2))
        consumer.seek(second, 0)
        consumer.seek_to_end([second])
        assert consumer.position(second) == 100


@pytest.mark.parametrize(
    ("age", "first"), [("PT1H30M", 2), ("PT0.001S", 4), ("P100000D", 0)], ids=["some", "none is so young", "all"]
)
def test_by_duration_begins_with_the_first_record_that_is_not_older(
    kafka: KafkaServer, protocol: str, age: str, first: int
) -> None:
    topic, hour_ms, now_ms = create_topic(kafka.bootstrap_servers, "age"), 3_600_000, int(time.time() * 1000)
    producer = quick_producer(kafka.bootstrap_servers)
    for hours in (3, 2, 1, 0):
        producer.produce(topic, b"%d" % hours, timestamp=now_ms - hours * hour_ms - 60_000)
    assert producer.flush(GUARD_S) == 0
    with Consumer(**config_of(kafka, unique("age"), protocol, auto_offset_reset=f"by_duration:{age}")) as consumer:
        consumer.subscribe([topic])
        records = poll_until([consumer], lambda: bool(consumer.assignment()))
        assert consumer.position(TopicPartition(topic, 0)) == first + len(records)
        producer.produce(topic, b"new")
        assert producer.flush(GUARD_S) == 0
        records += read(consumer, 5 - first - len(records))
        assert [record.offset for record in records] == list(range(first, 5))


def test_a_listener_may_seek_and_pause_before_the_first_record(kafka: KafkaServer, protocol: str, topic: str) -> None:
    paused, sought = TopicPartition(topic, 0), TopicPartition(topic, 1)

    def arrange(view: RebalanceConsumer, _: object) -> None:
        view.pause([paused])
        view.seek(sought, 90)

    with Consumer(**config_of(kafka, unique("pause"), protocol)) as consumer:
        consumer.subscribe([topic], listener=Heard({"assigned": arrange}))
        assert numbers(read(consumer, 10)) == list(range(181, 200, 2))
        assert consumer.paused() == {paused}
        consumer.resume([paused])
        assert numbers(read(consumer, 100)) == list(range(0, 200, 2))
        assert consumer.paused() == frozenset()


def test_partitions_tell_where_they_begin_and_end(kafka: KafkaServer, protocol: str, topic: str) -> None:
    partition = TopicPartition(topic, 1)
    with Consumer(**config_of(kafka, unique("lookup"), protocol)) as consumer:
        assert consumer.beginning_offsets([partition]) == {partition: 0}
        assert consumer.end_offsets([partition]) == {partition: 100}
        assert sorted(consumer.partitions_for(topic)) == [0, 1]
        assert topic in consumer.topics()
        assert consumer.committed([partition]) == {partition: None}


# ---- a committed offset that the log does not reach any more, by the leader epoch it carries (KIP-320)


def test_reading_begins_where_the_log_ends_or_the_application_is_told_where_if_no_reset_is_allowed(
    kafka: KafkaServer, group: str
) -> None:
    topic = create_topic(kafka.bootstrap_servers, "truncated")
    partition = TopicPartition(topic, 0)
    produce(kafka.bootstrap_servers, topic, 10)
    with Consumer(config_of(kafka, group)) as consumer:
        consumer.subscribe([topic])
        read(consumer, 10)
        consumer.commit({partition: OffsetAndMetadata(25, leader_epoch=0)})  # as if there had been so many
    with Consumer(config_of(kafka, group, auto_offset_reset="none")) as consumer:
        consumer.subscribe([topic])
        with pytest.raises(LogTruncationError) as caught:
            poll_until([consumer], lambda: False)
        assert (caught.value.partition, caught.value.position) == (partition, OffsetAndMetadata(25, 0))
        assert caught.value.diverging == OffsetAndMetadata(10, 0)
    with Consumer(config_of(kafka, group)) as consumer:
        consumer.subscribe([topic])
        assert poll_until([consumer], lambda: consumer.assignment() and consumer.position(partition) == 10) == []
        produce(kafka.bootstrap_servers, topic, 5, first=10)
        assert numbers(read(consumer, 5)) == [10, 11, 12, 13, 14]
        consumer.seek(partition, OffsetAndMetadata(4, leader_epoch=7))  # there never was such an epoch
        assert numbers(read(consumer, 15)) == list(range(15))
