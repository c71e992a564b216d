"""confluent-kafka, unchanged: idempotent producer, admin client, and consumer with group.protocol=consumer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from confluent_kafka import (
    Consumer,
    ConsumerGroupState,
    ConsumerGroupTopicPartitions,
    ConsumerGroupType,
    IsolationLevel,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    TopicCollection,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient, ConfigResource, NewPartitions, NewTopic, OffsetSpec, ResourceType

from kafka_nextgen.testing import Cluster
from tests.support.clients import unique
from tests.support.waiting import GUARD_S, eventually
from tests.testing.broker.client import Client
from tests.testing.broker.requests import by_name_fetch

CODECS = {"none": 0, "gzip": 1, "snappy": 2, "lz4": 3, "zstd": 4}

NewConsumer = Callable[..., Consumer]
NewTopicOf = Callable[[int], str]


@pytest.fixture(scope="module")
def admin(cluster: Cluster) -> AdminClient:
    return AdminClient({"bootstrap.servers": cluster.bootstrap_servers})


def result_of(futures: Mapping[Any, Any]) -> Any:
    (future,) = futures.values()
    return future.result(GUARD_S)


def error_of(futures: Mapping[Any, Any]) -> int:
    with pytest.raises(KafkaException) as refused:
        result_of(futures)
    return refused.value.args[0].code()


def produce(cluster: Cluster, topic: str, count: int, partitions: int, **config: Any) -> list[tuple[int, int]]:
    """Produce numbered records and return partition and offset of each, as they were confirmed."""
    confirmed: list[tuple[int, int]] = []

    def on_delivery(error: KafkaError | None, message: Message) -> None:
        assert error is None
        confirmed.append((message.partition(), message.offset()))

    usual = {"bootstrap.servers": cluster.bootstrap_servers, "enable.idempotence": True, "linger.ms": 5}
    producer = Producer({**usual, **config})
    for number in range(count):
        value = f"{number:06}" * 20
        producer.produce(topic, value, str(number), number % partitions, on_delivery, headers={"n": str(number)})
        producer.poll(0)
    assert producer.flush(GUARD_S) == 0
    return confirmed


@pytest.fixture
def new_consumer(cluster: Cluster, group: str) -> Iterator[NewConsumer]:
    consumers: list[Consumer] = []

    def make(topic: str, **config: Any) -> Consumer:
        usual = {"bootstrap.servers": cluster.bootstrap_servers, "group.id": group, "enable.auto.commit": False}
        how = {"group.protocol": "consumer", "auto.offset.reset": "earliest"}
        consumers.append(Consumer({**usual, **how, **config}))
        consumers[-1].subscribe([topic])
        return consumers[-1]

    yield make
    for consumer in consumers:
        consumer.close()


def read(consumer: Consumer, count: int) -> list[Message]:
    messages: list[Message] = []

    def poll() -> bool:
        messages.extend(consumer.consume(count, 0.1))
        assert not [message.error() for message in messages if message.error()]
        return len(messages) >= count

    eventually(f"{count} records were read", poll)
    return messages


def assigned(consumer: Consumer) -> list[TopicPartition]:
    """What the consumer has after a poll that finds nothing."""
    assert consumer.poll(0.05) is None
    return consumer.assignment()


def test_the_idempotent_producer_produces_with_every_compression(
    cluster: Cluster, client: Client, new_topic: NewTopicOf
) -> None:
    for codec, number in CODECS.items():
        topic = new_topic(2)
        confirmed = produce(cluster, topic, 200, 2, **{"compression.type": codec})
        assert sorted(confirmed) == [(partition, offset) for partition in (0, 1) for offset in range(100)]
        (first, _) = by_name_fetch(client, topic, partitions=[0, 1])
        assert first.records[22] & 7 == number


def test_a_message_that_is_too_large_is_refused(cluster: Cluster, admin: AdminClient) -> None:
    topic = unique("small")
    result_of(admin.create_topics([NewTopic(topic, 1, config={"max.message.bytes": "300"})]))
    errors: list[KafkaError | None] = []
    producer = Producer({"bootstrap.servers": cluster.bootstrap_servers})
    producer.produce(topic, b"x" * 1000, on_delivery=lambda error, _: errors.append(error))
    producer.flush(GUARD_S)
    assert [error and error.code() for error in errors] == [KafkaError.MSG_SIZE_TOO_LARGE]


def test_the_admin_client_makes_grows_and_deletes_topics(admin: AdminClient) -> None:
    topic = unique("managed")
    result_of(admin.create_topics([NewTopic(topic, 2, 1)]))
    assert len(admin.list_topics(topic, GUARD_S).topics[topic].partitions) == 2
    assert error_of(admin.create_topics([NewTopic(topic, 2, 1)])) == KafkaError.TOPIC_ALREADY_EXISTS
    result_of(admin.create_partitions([NewPartitions(topic, 5)]))
    described = result_of(admin.describe_topics(TopicCollection([topic])))
    assert [partition.leader.id for partition in described.partitions] == [1] * 5
    result_of(admin.delete_topics([topic]))
    assert topic not in admin.list_topics(timeout=GUARD_S).topics


def test_the_admin_client_describes_the_cluster_and_configurations(
    admin: AdminClient, cluster: Cluster, topic: str
) -> None:
    described = admin.describe_cluster().result(GUARD_S)
    assert [f"{node.host}:{node.port}" for node in described.nodes] == [cluster.bootstrap_servers]
    assert described.controller.id == 1
    assert described.cluster_id
    of_broker = result_of(admin.describe_configs([ConfigResource(ResourceType.BROKER, "1")]))
    assert of_broker["group.consumer.heartbeat.interval.ms"].value == "100"
    of_topic = result_of(admin.describe_configs([ConfigResource(ResourceType.TOPIC, topic)]))
    assert of_topic["retention.bytes"].value == "-1"


def test_the_admin_client_lists_offsets(cluster: Cluster, admin: AdminClient, topic: str) -> None:
    produce(cluster, topic, 10, 1)

    def offset(spec: OffsetSpec) -> int:
        asked = {TopicPartition(topic, 0): spec}
        return result_of(admin.list_offsets(asked, isolation_level=IsolationLevel.READ_COMMITTED)).offset

    assert offset(OffsetSpec.earliest()) == offset(OffsetSpec.for_timestamp(0)) == 0
    assert offset(OffsetSpec.latest()) == 10
    assert 0 <= offset(OffsetSpec.max_timestamp()) <= 9


def test_the_consumer_reads_everything_commits_and_goes_on_there(
    cluster: Cluster, new_topic: NewTopicOf, new_consumer: NewConsumer
) -> None:
    topic = new_topic(3)
    produce(cluster, topic, 300, 3)
    first = new_consumer(topic)
    messages = read(first, 300)
    assert sorted(int(message.key() or b"") for message in messages) == list(range(300))
    assert dict(messages[0].headers() or []) == {"n": messages[0].key()}
    committed = first.commit(asynchronous=False)
    assert {partition.partition: partition.offset for partition in committed} == {0: 100, 1: 100, 2: 100}
    first.close()

    produce(cluster, topic, 3, 3)
    went_on = read(new_consumer(topic), 3)
    assert sorted((message.partition(), message.offset()) for message in went_on) == [(0, 100), (1, 100), (2, 100)]


def test_a_consumer_finds_topics_by_pattern(cluster: Cluster, new_consumer: NewConsumer) -> None:
    prefix = unique("matched")
    for topic in (f"{prefix}-a", f"not-{prefix}-a"):
        cluster.create_topic(topic)
    consumer = new_consumer(f"^{prefix}-.*")
    eventually("the topic is assigned", lambda: {each.topic for each in assigned(consumer)} == {f"{prefix}-a"})


def test_the_admin_client_lists_describes_and_deletes_groups(
    admin: AdminClient, new_topic: NewTopicOf, new_consumer: NewConsumer, group: str
) -> None:
    consumer = new_consumer(new_topic(2), **{"client.id": "reader"})
    eventually("it has both", lambda: len(assigned(consumer)) == 2)

    listed = admin.list_consumer_groups(types={ConsumerGroupType.CONSUMER}).result(GUARD_S)
    assert not listed.errors
    assert (group, ConsumerGroupType.CONSUMER) in {(each.group_id, each.type) for each in listed.valid}
    described = result_of(admin.describe_consumer_groups([group]))
    assert (described.state, described.type) == (ConsumerGroupState.STABLE, ConsumerGroupType.CONSUMER)
    assert described.coordinator.id == 1
    (member,) = described.members
    assert (member.client_id, len(member.assignment.topic_partitions)) == ("reader", 2)

    assert error_of(admin.delete_consumer_groups([group])) == KafkaError.NON_EMPTY_GROUP
    assert error_of(admin.delete_consumer_groups(["nobody"])) == KafkaError.GROUP_ID_NOT_FOUND
    consumer.close()
    result_of(admin.delete_consumer_groups([group]))
    assert group not in {each.group_id for each in admin.list_consumer_groups().result(GUARD_S).valid}


def test_the_admin_client_reads_and_alters_a_groups_offsets(
    admin: AdminClient, new_topic: NewTopicOf, group: str
) -> None:
    topic = new_topic(2)
    offsets = [TopicPartition(topic, 0, 7), TopicPartition(topic, 1, 9)]
    result_of(admin.alter_consumer_group_offsets([ConsumerGroupTopicPartitions(group, offsets)]))
    for asked, told in ((None, [7, 9]), ([TopicPartition(topic, 1)], [9])):
        listed = result_of(admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group, asked)]))
        assert sorted(each.offset for each in listed.topic_partitions) == told


def test_everything_works_over_several_brokers(new_consumer: NewConsumer) -> None:
    with Cluster(brokers=3, config={"group.consumer.assignment.interval.ms": 0}) as three:
        three.create_topic("orders", 6)
        produce(three, "orders", 600, 6)
        consumer = new_consumer("orders", **{"bootstrap.servers": three.bootstrap_servers})
        assert len(read(consumer, 600)) == 600
        consumer.close()
