"""A committed offset that its partition's log does not reach any more, by the leader epoch it carries (KIP-320)."""

from __future__ import annotations

import pytest

from kafka_nextgen import Consumer, LogTruncationError, OffsetAndMetadata, TopicPartition
from tests.endtoend.reading import config_of, numbers, poll_until, read
from tests.support.clients import create_topic, produce, unique
from tests.support.kafka_server import KafkaServer


@pytest.fixture
def partition(kafka: KafkaServer) -> TopicPartition:
    """Return a partition of ten records, all of leader epoch 0."""
    topic = create_topic(kafka.bootstrap_servers, "truncated")
    produce(kafka.bootstrap_servers, topic, 10)
    return TopicPartition(topic, 0)


@pytest.fixture
def group(kafka: KafkaServer, partition: TopicPartition) -> str:
    """Return a group that committed offset 25 of it, as if there had been so many."""
    group = unique("truncated")
    with Consumer(**config_of(kafka, group)) as consumer:
        consumer.subscribe([partition.topic])
        read(consumer, 10)
        consumer.commit({partition: OffsetAndMetadata(25, leader_epoch=0)})
    return group


def test_reading_begins_where_the_log_ends(kafka: KafkaServer, partition: TopicPartition, group: str) -> None:
    with Consumer(**config_of(kafka, group)) as consumer:
        consumer.subscribe([partition.topic])
        assert poll_until([consumer], lambda: consumer.assignment() and consumer.position(partition) == 10) == []
        produce(kafka.bootstrap_servers, partition.topic, 5, first=10)
        assert numbers(read(consumer, 5)) == [10, 11, 12, 13, 14]


def test_the_application_is_told_where_the_logs_part_if_no_reset_is_allowed(
    kafka: KafkaServer, partition: TopicPartition, group: str
) -> None:
    with Consumer(**config_of(kafka, group, auto_offset_reset="none")) as consumer:
        consumer.subscribe([partition.topic])
        with pytest.raises(LogTruncationError) as caught:
            poll_until([consumer], lambda: False)
        assert caught.value.partition == partition
        assert caught.value.position == OffsetAndMetadata(25, 0)
        assert caught.value.diverging == OffsetAndMetadata(10, 0)


def test_an_offset_of_an_epoch_that_there_never_was_is_reset(kafka: KafkaServer, partition: TopicPartition) -> None:
    with Consumer(**config_of(kafka, unique("truncated"))) as consumer:
        consumer.assign([partition])
        consumer.seek(partition, OffsetAndMetadata(4, leader_epoch=0))
        assert numbers(read(consumer, 6)) == [4, 5, 6, 7, 8, 9]
        consumer.seek(partition, OffsetAndMetadata(4, leader_epoch=7))
        assert numbers(read(consumer, 10)) == list(range(10))
