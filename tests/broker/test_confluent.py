"""confluent-kafka, unchanged: idempotent producer, admin client, and consumer with group.protocol=consumer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
from confluent_kafka.admin import (
    AdminClient,
    ConfigResource,
    NewPartitions,
    NewTopic,
    OffsetSpec,
    ResourceType,
)

from kafka_nextgen.testing import Cluster
from tests.broker.client import Client
from tests.broker.requests import by_name_fetch
from tests.support.clients import unique
from tests.support.waiting import GUARD_S, eventually

TIMEOUT_S = GUARD_S
CODECS = {"none": 0, "gzip": 1, "snappy": 2, "lz4": 3, "zstd": 4}


@pytest.fixture(scope="module")
def admin(cluster: Cluster) -> AdminClient:
    return AdminClient({"bootstrap.servers": cluster.bootstrap_servers})


def result_of(futures: dict[Any, Any]) -> Any:
    (future,) = futures.values()
    return future.result(TIMEOUT_S)


def produce(cluster: Cluster, topic: str, count: int, partitions: int, **config: Any) -> list[tuple[int, int]]:
    """Produce numbered records and return partition and offset of each, as they were confirmed."""
    confirmed: list[tuple[int, int]] = []

    def on_delivery(error: KafkaError | None, message: Message) -> None:
        assert error is None
        confirmed.append((message.partition(), message.offset()))

    producer = Producer(
        {"bootstrap.servers": cluster.bootstrap_servers, "enable.idempotence": True, "linger.ms": 5, **config}
    )
    for number in range(count):
        value = f"{number:06}" * 20
        producer.produce(topic, value, str(number), number % partitions, on_delivery, headers={"n": str(number)})
        producer.poll(0)
    assert producer.flush(TIMEOUT_S) == 0
    return confirmed


@pytest.fixture
def new_consumer(cluster: Cluster, group: str) -> Iterator[Callable[..., Consumer]]:
    consumers: list[Consumer] = []

    def make(**config: Any) -> Consumer:
        settings = {
            "bootstrap.servers": cluster.bootstrap_servers,
            "group.id": group,
            "group.protocol": "consumer",
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
        }
        consumer = Consumer({**settings, **config})
        consumers.append(consumer)
        return consumer

    yield make
    for consumer in consumers:
        consumer.close()


def read(consumer: Consumer, count: int) -> list[Message]:
    messages: list[Message] = []

    def poll() -> bool:
        messages.extend(consumer.consume(count, 0.1))
        assert not [message.error() for message in messages if message.error()]
        return len(messages) >= count

    eventually(f"{count} records were read", poll, TIMEOUT_S)
    return messages


@pytest.mark.parametrize("codec", CODECS)
def test_the_idempotent_producer_produces_with_every_compression(
    cluster: Cluster, client: Client, new_topic: Callable[[int], str], codec: str
) -> None:
    topic = new_topic(2)
    confirmed = produce(cluster, topic, 200, 2, **{"compression.type": codec})
    assert sorted(confirmed) == [(partition, offset) for partition in (0, 1) for offset in range(100)]
    (first, _) = by_name_fetch(client, topic, partitions=[0, 1])
    assert first.records[22] & 7 == CODECS[codec]


def test_a_message_that_is_too_large_is_refused(cluster: Cluster, admin: AdminClient) -> None:
    topic = unique("small")
    result_of(admin.create_topics([NewTopic(topic, 1, config={"max.message.bytes": "300"})]))
    errors: list[KafkaError | None] = []
    producer = Producer({"bootstrap.servers": cluster.bootstrap_servers})
    producer.produce(topic, b"x" * 1000, on_delivery=lambda error, _: errors.append(error))
    producer.flush(TIMEOUT_S)
    assert [error and error.code() for error in errors] == [KafkaError.MSG_SIZE_TOO_LARGE]


def test_the_admin_client_makes_grows_and_deletes_topics(admin: AdminClient) -> None:
    topic = unique("managed")
    result_of(admin.create_topics([NewTopic(topic, 2, 1)]))
    assert len(admin.list_topics(topic, TIMEOUT_S).topics[topic].partitions) == 2
    with pytest.raises(KafkaException) as refused:
        result_of(admin.create_topics([NewTopic(topic, 2, 1)]))
    assert refused.value.args[0].code() == KafkaError.TOPIC_ALREADY_EXISTS
    result_of(admin.create_partitions([NewPartitions(topic, 5)]))
    assert len(admin.list_topics(topic, TIMEOUT_S).topics[topic].partitions) == 5
    described = result_of(admin.describe_topics(TopicCollection([topic])))
    assert [partition.leader.id for partition in described.partitions] == [1] * 5
    result_of(admin.delete_topics([topic]))
    assert topic not in admin.list_topics(timeout=TIMEOUT_S).topics


def test_the_admin_client_describes_the_cluster(admin: AdminClient, cluster: Cluster) -> None:
    described = admin.describe_cluster().result(TIMEOUT_S)
    assert [f"{node.host}:{node.port}" for node in described.nodes] == [cluster.bootstrap_servers]
    assert described.controller.id == 1
    assert described.cluster_id


@pytest.mark.parametrize(
    ("kind", "key", "value"),
    [
        (ResourceType.BROKER, "group.consumer.heartbeat.interval.ms", "100"),
        (ResourceType.TOPIC, "retention.bytes", "-1"),
    ],
)
def test_the_admin_client_describes_configurations(
    admin: AdminClient, topic: str, kind: ResourceType, key: str, value: str
) -> None:
    name = topic if kind is ResourceType.TOPIC else "1"
    configs = result_of(admin.describe_configs([ConfigResource(kind, name)]))
    assert configs[key].value == value


def test_the_admin_client_lists_offsets(cluster: Cluster, admin: AdminClient, topic: str) -> None:
    produce(cluster, topic, 10, 1)

    def offset(spec: OffsetSpec) -> int:
        asked = {TopicPartition(topic, 0): spec}
        found: int = result_of(admin.list_offsets(asked, isolation_level=IsolationLevel.READ_COMMITTED)).offset
        return found

    assert offset(OffsetSpec.earliest()) == 0
    assert offset(OffsetSpec.latest()) == 10
    assert offset(OffsetSpec.for_timestamp(0)) == 0
    assert 0 <= offset(OffsetSpec.max_timestamp()) <= 9


def test_the_consumer_reads_everything_commits_and_goes_on_there(
    cluster: Cluster, new_topic: Callable[[int], str], new_consumer: Callable[..., Consumer]
) -> None:
    topic = new_topic(3)
    produce(cluster, topic, 300, 3)
    first = new_consumer()
    first.subscribe([topic])
    messages = read(first, 300)
    assert sorted(int(message.key() or b"") for message in messages) == list(range(300))
    assert dict(messages[0].headers() or []) == {"n": messages[0].key()}
    committed = first.commit(asynchronous=False)
    assert {partition.partition: partition.offset for partition in committed} == {0: 100, 1: 100, 2: 100}
    first.close()

    produce(cluster, topic, 3, 3)
    second = new_consumer()
    second.subscribe([topic])
    assert sorted((message.partition(), message.offset()) for message in read(second, 3)) == [
        (0, 100),
        (1, 100),
        (2, 100),
    ]


def test_two_consumers_share_a_topic_and_one_takes_over_what_the_other_leaves(
    new_topic: Callable[[int], str], new_consumer: Callable[..., Consumer]
) -> None:
    topic = new_topic(4)
    first, second = new_consumer(), new_consumer()

    def owned() -> list[int]:
        first.poll(0.05)
        second.poll(0.05)
        return [len(first.assignment()), len(second.assignment())]

    first.subscribe([topic])
    second.subscribe([topic])
    eventually("each has two partitions", lambda: owned() == [2, 2], TIMEOUT_S)
    second.close()
    eventually("one has all four", lambda: first.poll(0.05) is None and len(first.assignment()) == 4, TIMEOUT_S)


def test_a_consumer_finds_topics_by_pattern(cluster: Cluster, new_consumer: Callable[..., Consumer]) -> None:
    prefix = unique("matched")
    cluster.create_topic(f"{prefix}-a")
    cluster.create_topic(f"not-{prefix}-a")
    consumer = new_consumer()
    consumer.subscribe([f"^{prefix}-.*"])

    def topics() -> set[str]:
        consumer.poll(0.05)
        return {partition.topic for partition in consumer.assignment()}

    eventually("the topic is assigned", lambda: topics() == {f"{prefix}-a"}, TIMEOUT_S)


def test_the_admin_client_lists_describes_and_deletes_groups(
    admin: AdminClient, new_topic: Callable[[int], str], new_consumer: Callable[..., Consumer], group: str
) -> None:
    topic = new_topic(2)
    consumer = new_consumer(**{"client.id": "reader"})
    consumer.subscribe([topic])
    eventually("it has both", lambda: consumer.poll(0.05) is None and len(consumer.assignment()) == 2, TIMEOUT_S)

    listed = admin.list_consumer_groups(types={ConsumerGroupType.CONSUMER}).result(TIMEOUT_S)
    assert not listed.errors
    assert (group, ConsumerGroupType.CONSUMER) in {(each.group_id, each.type) for each in listed.valid}
    described = result_of(admin.describe_consumer_groups([group]))
    assert (described.state, described.type) == (ConsumerGroupState.STABLE, ConsumerGroupType.CONSUMER)
    assert described.coordinator.id == 1
    (member,) = described.members
    assert (member.client_id, len(member.assignment.topic_partitions)) == ("reader", 2)

    with pytest.raises(KafkaException) as refused:
        result_of(admin.delete_consumer_groups([group]))
    assert refused.value.args[0].code() == KafkaError.NON_EMPTY_GROUP
    consumer.close()
    result_of(admin.delete_consumer_groups([group]))
    listed = admin.list_consumer_groups().result(TIMEOUT_S)
    assert group not in {each.group_id for each in listed.valid}


def test_the_admin_client_reads_and_alters_a_groups_offsets(
    admin: AdminClient, new_topic: Callable[[int], str], group: str
) -> None:
    topic = new_topic(2)
    offsets = [TopicPartition(topic, 0, 7), TopicPartition(topic, 1, 9)]
    result_of(admin.alter_consumer_group_offsets([ConsumerGroupTopicPartitions(group, offsets)]))
    listed = result_of(admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)]))
    assert {(each.partition, each.offset) for each in listed.topic_partitions} == {(0, 7), (1, 9)}
    asked = ConsumerGroupTopicPartitions(group, [TopicPartition(topic, 1)])
    assert [each.offset for each in result_of(admin.list_consumer_group_offsets([asked])).topic_partitions] == [9]


def test_everything_works_over_several_brokers(group: str) -> None:
    with Cluster(brokers=3, config={"group.consumer.assignment.interval.ms": 0}) as three:
        three.create_topic("orders", 6)
        produce(three, "orders", 600, 6)
        consumer = Consumer(
            {
                "bootstrap.servers": three.bootstrap_servers,
                "group.id": group,
                "group.protocol": "consumer",
                "auto.offset.reset": "earliest",
            }
        )
        consumer.subscribe(["orders"])
        assert len(read(consumer, 600)) == 600
        consumer.close()
