"""A group's history, as the records of its coordinator tell it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kafka_nextgen import Consumer, Record, TopicPartition
from kafka_nextgen.bridge.extensions.offsets_topic import Skipped, decode
from kafka_nextgen.bridge.offsets_topic.events import RecordStory, Row
from kafka_nextgen.broker.hashing import spread
from kafka_nextgen.history.events import Event
from tests.broker.client import Client
from tests.broker.requests import topic_id_of
from tests.endtoend.reading import poll_until
from tests.support.clients import admin_client
from tests.support.kafka_server import KafkaServer

__all__ = ["story_of"]

OFFSETS = "__consumer_offsets"


def records_of(kafka: KafkaServer, group: str) -> list[Record]:
    """All records of the partition that has the group."""
    count = len(admin_client(kafka.bootstrap_servers).list_topics(OFFSETS, timeout=30).topics[OFFSETS].partitions)
    partition = TopicPartition(OFFSETS, spread(group, count))
    with Consumer(bootstrap_servers=kafka.bootstrap_servers, auto_offset_reset="earliest") as reader:
        reader.assign([partition])
        end = reader.end_offsets([partition])[partition]
        return poll_until([reader], lambda: reader.position(partition) >= end)


def story_of(kafka: KafkaServer, group: str, topic: str) -> list[Event]:
    with Client(kafka.bootstrap_servers) as client:
        story = RecordStory("offsets:0", "test", {topic_id_of(client, topic): topic})
    return [event for event in story.tell(rows(records_of(kafka, group))) if event.group == group]


def rows(records: Sequence[Record]) -> Iterator[Row]:
    for record in records:
        assert isinstance(record.key, bytes)
        assert record.value is None or isinstance(record.value, bytes)
        found = decode(record.key, record.value)
        if not isinstance(found, Skipped):
            yield Row(record.offset, record.timestamp, found)
