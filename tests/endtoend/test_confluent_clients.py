"""confluent-kafka's producer and admin client, unchanged: real and embedded brokers look the same to them."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any, TypeVar

import pytest
from confluent_kafka import (
    Consumer,
    ConsumerGroupState,
    ConsumerGroupTopicPartitions,
    ConsumerGroupType,
    KafkaError,
    KafkaException,
    Message,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient, ConfigResource, NewPartitions, NewTopic, OffsetSpec, ResourceType

from tests.support.clients import admin_client, create_topic, idempotent_producer, send, unique
from tests.support.kafka_server import BROKER_SETTINGS, KafkaServer
from tests.support.waiting import GUARD_S, eventually

T = TypeVar("T")


def result_of(futures: dict[Any, Future[T]]) -> T:
    """Return the only result."""
    (future,) = futures.values()
    return future.result(timeout=GUARD_S)


def error_of(futures: dict[Any, Future[Any]]) -> int:
    with pytest.raises(KafkaException) as raised:
        result_of(futures)
    return raised.value.args[0].code()


@pytest.fixture
def admin(kafka: KafkaServer) -> AdminClient:
    return admin_client(kafka.bootstrap_servers)


def partitions_of(admin: AdminClient, topic: str) -> list[int]:
    """Return the topic's partitions as the cluster lists them; none if there is no such topic."""
    listed = admin.list_topics(timeout=GUARD_S).topics
    return sorted(listed[topic].partitions) if topic in listed else []


def member_of(kafka: KafkaServer, group: str, topic: str) -> Consumer:
    """Return a consumer that has joined the group and owns the topic's partitions."""
    consumer = Consumer({"bootstrap.servers": kafka.bootstrap_servers, "group.id": group, "group.protocol": "consumer"})
    consumer.subscribe([topic])
    eventually(f"{topic} is assigned", lambda: consumer.poll(0.1) is None and bool(consumer.assignment()))
    return consumer


def test_topics_are_created_and_deleted(admin: AdminClient) -> None:
    name = unique("admin")
    result_of(admin.create_topics([NewTopic(name, num_partitions=3, replication_factor=1)]))
    eventually("the new topic is listed", lambda: partitions_of(admin, name) == [0, 1, 2])
    assert error_of(admin.create_topics([NewTopic(name, num_partitions=3)])) == KafkaError.TOPIC_ALREADY_EXISTS
    result_of(admin.create_partitions([NewPartitions(name, 5)]))
    eventually("the new partitions are listed", lambda: partitions_of(admin, name) == [0, 1, 2, 3, 4])
    assert error_of(admin.create_partitions([NewPartitions(name, 1)])) == KafkaError.INVALID_PARTITIONS
    result_of(admin.delete_topics([name]))
    eventually("the topic is gone", lambda: partitions_of(admin, name) == [])
    assert error_of(admin.delete_topics([name])) == KafkaError.UNKNOWN_TOPIC_OR_PART


def test_a_group_is_listed_described_and_deleted_once_it_is_empty(kafka: KafkaServer, admin: AdminClient) -> None:
    topic, group = create_topic(kafka.bootstrap_servers, "admin", partitions=2), unique("admin")
    member = member_of(kafka, group, topic)
    listed = {each.group_id: each for each in admin.list_consumer_groups().result(timeout=GUARD_S).valid}
    assert listed[group].type == ConsumerGroupType.CONSUMER
    described = result_of(admin.describe_consumer_groups([group]))
    assert described.state == listed[group].state == ConsumerGroupState.STABLE
    (only,) = described.members
    assert only.member_id == member.memberid()
    assert only.assignment.topic_partitions == [TopicPartition(topic, 0), TopicPartition(topic, 1)]
    assert error_of(admin.delete_consumer_groups([group])) == KafkaError.NON_EMPTY_GROUP
    member.close()
    assert result_of(admin.describe_consumer_groups([group])).state == ConsumerGroupState.EMPTY
    result_of(admin.delete_consumer_groups([group]))
    assert group not in {each.group_id for each in admin.list_consumer_groups().result(timeout=GUARD_S).valid}


def test_offsets_are_listed_by_place_and_by_time(kafka: KafkaServer, admin: AdminClient) -> None:
    topic = create_topic(kafka.bootstrap_servers, "admin")
    producer = idempotent_producer(kafka.bootstrap_servers)
    for second in range(10):
        producer.produce(topic, b"tick", timestamp=1_700_000_000_000 + 1000 * second)
    assert producer.flush(GUARD_S) == 0
    partition = TopicPartition(topic, 0)
    for spec, offset in [
        (OffsetSpec.earliest(), 0),
        (OffsetSpec.latest(), 10),
        (OffsetSpec.for_timestamp(1_700_000_003_500), 4),
    ]:
        assert result_of(admin.list_offsets({partition: spec})).offset == offset


def test_a_groups_offsets_are_altered_and_listed(kafka: KafkaServer, admin: AdminClient) -> None:
    topic, group = create_topic(kafka.bootstrap_servers, "admin", partitions=2), unique("admin")
    wanted = [TopicPartition(topic, 0, 7), TopicPartition(topic, 1, 9)]
    result_of(admin.alter_consumer_group_offsets([ConsumerGroupTopicPartitions(group, wanted)]))
    stored = result_of(admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)])).topic_partitions
    assert sorted((tp.partition, tp.offset) for tp in stored) == [(0, 7), (1, 9)]


def test_configurations_are_described(kafka: KafkaServer, admin: AdminClient) -> None:
    topic = create_topic(kafka.bootstrap_servers, "admin")
    of_topic = result_of(admin.describe_configs([ConfigResource(ResourceType.TOPIC, topic)]))
    assert of_topic["cleanup.policy"].value == "delete"
    broker = next(iter(admin.list_topics(timeout=GUARD_S).brokers))
    of_broker = result_of(admin.describe_configs([ConfigResource(ResourceType.BROKER, str(broker))]))
    name = "group.consumer.session.timeout.ms"
    assert of_broker[name].value == BROKER_SETTINGS[name]


def test_an_idempotent_producer_writes_each_record_once_and_in_order(kafka: KafkaServer) -> None:
    topic = create_topic(kafka.bootstrap_servers, "producer", partitions=3)
    producer = idempotent_producer(kafka.bootstrap_servers)
    send(producer, topic, range(20_000), 3)  # it fails if a report tells of an error
    assert producer.flush(GUARD_S) == 0
    consumer = Consumer({"bootstrap.servers": kafka.bootstrap_servers, "group.id": "unused"})
    consumer.assign([TopicPartition(topic, partition, 0) for partition in range(3)])
    messages: list[Message] = []
    while len(messages) < 20_000:
        came = consumer.consume(20_000 - len(messages), timeout=GUARD_S)
        assert came, f"only {len(messages)} records came"
        messages += came
    consumer.close()
    for message in messages:
        assert int(message.value()) == message.offset() * 3 + message.partition()


def test_producers_follow_each_other_without_disturbing_their_sequences(kafka: KafkaServer) -> None:
    topic = create_topic(kafka.bootstrap_servers, "producer")
    first, second = idempotent_producer(kafka.bootstrap_servers), idempotent_producer(kafka.bootstrap_servers)
    for number in range(0, 40, 2):
        send(first, topic, [number], 1)
        assert first.flush(GUARD_S) == 0
        send(second, topic, [number + 1], 1)
        assert second.flush(GUARD_S) == 0
    admin = admin_client(kafka.bootstrap_servers)
    assert result_of(admin.list_offsets({TopicPartition(topic, 0): OffsetSpec.latest()})).offset == 40
