"""kafka-python and aiokafka, unchanged, as far as they go without the consumer group protocol, which they lack."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka import TopicPartition as AIOTopicPartition
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition

from kafka_nextgen.testing import Cluster
from tests.support.clients import unique
from tests.support.waiting import GUARD_S, eventually


def reader(cluster: Cluster, *partitions: TopicPartition, **config: object) -> KafkaConsumer:
    """A consumer that reads these partitions from the beginning, as long as a test may take."""
    wait = {"auto_offset_reset": "earliest", "consumer_timeout_ms": GUARD_S * 1000}
    consumer = KafkaConsumer(bootstrap_servers=cluster.bootstrap_servers, **wait, **config)
    consumer.assign(list(partitions))
    return consumer


def test_it_produces_and_reads_assigned_partitions(cluster: Cluster, new_topic: Callable[[int], str]) -> None:
    topic = new_topic(2)
    producer = KafkaProducer(bootstrap_servers=cluster.bootstrap_servers, compression_type="gzip")
    for number in range(50):
        producer.send(topic, str(number).encode(), partition=number % 2)
    producer.flush()
    producer.close()
    partitions = [TopicPartition(topic, 0), TopicPartition(topic, 1)]
    consumer = reader(cluster, *partitions, group_id=unique("reader"), enable_auto_commit=False)
    assert sorted(int(next(consumer).value) for _ in range(50)) == list(range(50))
    consumer.commit()
    assert [consumer.committed(partition) for partition in partitions] == [25, 25]
    assert consumer.end_offsets(partitions) == dict.fromkeys(partitions, 25)
    consumer.close()


def test_its_admin_client_makes_lists_and_deletes_topics(cluster: Cluster) -> None:
    topic = unique("managed")
    admin = KafkaAdminClient(bootstrap_servers=cluster.bootstrap_servers)
    admin.create_topics({topic: {"num_partitions": 2, "replication_factor": 1}})
    assert topic in admin.list_topics()
    admin.delete_topics([topic])
    assert topic not in admin.list_topics()
    admin.close()


def test_its_transactions_are_read_when_they_are_committed(cluster: Cluster, topic: str) -> None:
    producer = KafkaProducer(bootstrap_servers=cluster.bootstrap_servers, transactional_id=unique("t"))
    producer.init_transactions()
    for value, end in [(b"kept", producer.commit_transaction), (b"dropped", producer.abort_transaction)]:
        producer.begin_transaction()
        producer.send(topic, value, partition=0)
        end()
    producer.close()
    partition = TopicPartition(topic, 0)
    consumer = reader(cluster, partition, isolation_level="read_committed")
    read: list[bytes] = []

    def is_at_the_end() -> bool:
        read.extend(record.value for records in consumer.poll(timeout_ms=100).values() for record in records)
        return consumer.position(partition) == consumer.end_offsets([partition])[partition]

    eventually("it is at the end", is_at_the_end)
    assert read == [b"kept"]
    consumer.close()


class GivenUpError(Exception):
    """The application gives a transaction up."""


async def test_what_was_committed_is_read_and_what_was_given_up_is_not(
    cluster: Cluster, topic: str, group: str
) -> None:
    servers, partition = cluster.bootstrap_servers, AIOTopicPartition(topic, 0)
    async with AIOKafkaProducer(bootstrap_servers=servers, transactional_id=unique("t")) as producer:
        for value, offset, is_given_up in ((b"kept", 5, False), (b"dropped", 9, True)):
            with suppress(GivenUpError):
                async with producer.transaction():
                    await producer.send(topic, value)
                    await producer.send_offsets_to_transaction({partition: offset}, group)
                    if is_given_up:
                        raise GivenUpError

    how = {"isolation_level": "read_committed", "enable_auto_commit": False}
    async with AIOKafkaConsumer(bootstrap_servers=servers, group_id=group, **how) as consumer:
        consumer.assign([partition])
        assert await consumer.committed(partition) == 5
        consumer.seek(partition, 0)
        end = (await consumer.end_offsets([partition]))[partition]
        values: list[bytes] = []
        while await consumer.position(partition) < end:
            for records in (await consumer.getmany(partition, timeout_ms=100)).values():
                values += [record.value for record in records]
    assert values == [b"kept"]
