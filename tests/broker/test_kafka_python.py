"""kafka-python, unchanged, as far as it goes without the consumer group protocol, which it lacks."""

from __future__ import annotations

from collections.abc import Callable

from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition

from kafka_nextgen.testing import Cluster
from tests.support.clients import unique
from tests.support.waiting import eventually

TIMEOUT_MS = 10_000


def test_it_produces_and_reads_assigned_partitions(cluster: Cluster, new_topic: Callable[[int], str]) -> None:
    topic = new_topic(2)
    producer = KafkaProducer(bootstrap_servers=cluster.bootstrap_servers, compression_type="gzip")
    for number in range(50):
        producer.send(topic, str(number).encode(), partition=number % 2)
    producer.flush()
    producer.close()
    consumer = KafkaConsumer(
        bootstrap_servers=cluster.bootstrap_servers,
        group_id=unique("reader"),
        auto_offset_reset="earliest",
        enable_auto_commit=False,
        consumer_timeout_ms=TIMEOUT_MS,
    )
    partitions = [TopicPartition(topic, 0), TopicPartition(topic, 1)]
    consumer.assign(partitions)
    read = [next(consumer) for _ in range(50)]
    assert sorted(int(record.value) for record in read) == list(range(50))
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
    consumer = KafkaConsumer(
        bootstrap_servers=cluster.bootstrap_servers, isolation_level="read_committed", auto_offset_reset="earliest"
    )
    partition = TopicPartition(topic, 0)
    consumer.assign([partition])
    consumer.seek(partition, 0)
    read: list[bytes] = []
    eventually("it is at the end", lambda: _read_on(consumer, read) == consumer.end_offsets([partition])[partition])
    assert read == [b"kept"]
    consumer.close()


def _read_on(consumer: KafkaConsumer, read: list[bytes]) -> int:
    """Read what there is; return where reading goes on."""
    for records in consumer.poll(timeout_ms=100).values():
        read += [record.value for record in records]
    (partition,) = consumer.assignment()
    position: int = consumer.position(partition)
    return position
