"""An independent client for tests: confluent-kafka's admin client and producers."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Mapping

from confluent_kafka import ConsumerGroupTopicPartitions, KafkaError, Message, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewPartitions, NewTopic

from tests.support.numbering import partition_of, value_of
from tests.support.waiting import GUARD_S, eventually

_NUMBERS = itertools.count()


def unique(prefix: str) -> str:
    """Return a name no other test has used, also on a broker that outlives the tests."""
    return f"{prefix}-{os.getpid()}-{next(_NUMBERS)}"


def admin_client(bootstrap_servers: str) -> AdminClient:
    return AdminClient({"bootstrap.servers": bootstrap_servers, "log_level": 4})  # warnings and worse


def create_topic(
    bootstrap_servers: str, prefix: str, partitions: int = 1, config: Mapping[str, str] | None = None
) -> str:
    """Create a topic under a new name that begins with ``prefix``; return that name once the topic is listed."""
    topic = unique(prefix)
    create_named_topic(bootstrap_servers, topic, partitions, config)
    return topic


def create_replicated_topic(bootstrap_servers: str, prefix: str, replicas: list[int]) -> str:
    """Create a topic of one partition with replicas on these nodes, the first of which leads it; return its name."""
    topic = unique(prefix)
    admin = admin_client(bootstrap_servers)
    admin.create_topics([NewTopic(topic, num_partitions=1, replica_assignment=[replicas])])[topic].result(
        timeout=GUARD_S
    )
    eventually(f"{topic} is listed", lambda: topic in admin.list_topics(timeout=GUARD_S).topics)
    return topic


def create_named_topic(
    bootstrap_servers: str, topic: str, partitions: int = 1, config: Mapping[str, str] | None = None
) -> None:
    """Create ``topic`` with as many replicas as the brokers choose; return once it is listed."""
    new = NewTopic(topic, num_partitions=partitions, replication_factor=-1, config=dict(config or {}))
    admin = admin_client(bootstrap_servers)  # its futures end with it, so it has to outlive them
    admin.create_topics([new])[topic].result(timeout=GUARD_S)
    eventually(f"{topic} is listed", lambda: topic in admin.list_topics(timeout=GUARD_S).topics)


def grow_topic(bootstrap_servers: str, topic: str, partitions: int) -> None:
    """Have ``topic`` have so many partitions; return once they are listed."""
    admin = admin_client(bootstrap_servers)

    def listed() -> int:
        return len(admin.list_topics(topic, timeout=GUARD_S).topics[topic].partitions)

    admin.create_partitions([NewPartitions(topic, partitions)])[topic].result(timeout=GUARD_S)
    eventually(f"{topic} has grown", lambda: listed() == partitions)


def delete_records(bootstrap_servers: str, topic: str, before: int, partition: int = 0) -> None:
    """Delete the records of a partition before this offset."""
    admin, place = admin_client(bootstrap_servers), TopicPartition(topic, partition, before)
    admin.delete_records([place])[place].result(timeout=GUARD_S)


def delete_topic(bootstrap_servers: str, topic: str) -> None:
    """Delete ``topic``; return once it is not listed any more."""
    admin = admin_client(bootstrap_servers)
    admin.delete_topics([topic])[topic].result(timeout=GUARD_S)
    eventually(f"{topic} is gone", lambda: topic not in admin.list_topics(timeout=GUARD_S).topics)


def stored_offsets(bootstrap_servers: str, group: str) -> dict[int, int]:
    """Return the offsets that the coordinator has for the group's one topic, by partition."""
    admin = admin_client(bootstrap_servers)
    answer = admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)])[group].result(timeout=GUARD_S)
    return {tp.partition: tp.offset for tp in answer.topic_partitions if tp.offset >= 0}


def members_of(bootstrap_servers: str, group: str) -> dict[str, set[int]]:
    admin = admin_client(bootstrap_servers)
    described = admin.describe_consumer_groups([group])[group].result(timeout=GUARD_S)
    return {
        member.member_id: {tp.partition for tp in member.assignment.topic_partitions} for member in described.members
    }


def idempotent_producer(bootstrap_servers: str, compression: str = "none") -> Producer:
    return Producer(
        {
            "bootstrap.servers": bootstrap_servers,
            "enable.idempotence": True,
            "compression.type": compression,
            "linger.ms": 5,
        }
    )


def quick_producer(bootstrap_servers: str, compression: str = "none") -> Producer:
    """Return a producer that keeps the order of records, too, while connections hold.

    An idempotent one waits a second before it asks for its id.
    """
    return Producer(
        {
            "bootstrap.servers": bootstrap_servers,
            "acks": "all",
            "max.in.flight.requests.per.connection": 1,
            "compression.type": compression,
            "linger.ms": 5,
        }
    )


def send(producer: Producer, topic: str, numbers: Iterable[int], partitions: int) -> None:
    """Hand records to the producer, waiting whenever its queue is full; a record that fails raises."""
    for number in numbers:
        text, partition = value_of(number), partition_of(number, partitions)
        while True:
            try:
                producer.produce(topic, value=text, key=text, partition=partition, on_delivery=_check)
                break
            except BufferError:
                producer.poll(0.1)
        producer.poll(0)


def produce(
    bootstrap_servers: str, topic: str, count: int, *, partitions: int = 1, first: int = 0, compression: str = "none"
) -> None:
    """Produce records ``first`` to ``first + count - 1``; return when the broker has acknowledged all of them."""
    producer = quick_producer(bootstrap_servers, compression)
    send(producer, topic, range(first, first + count), partitions)
    left = producer.flush(GUARD_S)
    assert left == 0, f"{left} of {count} records for {topic} were not acknowledged within {GUARD_S:.0f} s"


def _check(error: KafkaError | None, message: Message) -> None:
    assert error is None, f"record {message.value()!r} was not written: {error}"
