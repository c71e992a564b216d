"""A committed offset that its partition's log does not reach any more, by the leader epoch it carries (KIP-320)."""

from __future__ import annotations

import pytest

from kafka_nextgen import Consumer, LogTruncationError, OffsetAndMetadata, TopicPartition
from tests.endtoend.reading import config_of, numbers, poll_until, read
from tests.support.clients import create_topic, produce
from tests.support.kafka_server import KafkaServer


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
