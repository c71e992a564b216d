"""Reading a topic's records until all have come."""

from __future__ import annotations

from kafka_nextgen import Consumer, Record, TopicPartition
from kafka_nextgen.testing import Cluster
from tests.support.waiting import eventually


def records_of(cluster: Cluster, topic: str, partitions: int, count: int) -> list[Record]:
    found: list[Record] = []
    with Consumer(bootstrap_servers=cluster.bootstrap_servers, auto_offset_reset="earliest") as consumer:
        consumer.assign([TopicPartition(topic, number) for number in range(partitions)])

        def has_all() -> bool:
            found.extend(consumer.poll(timeout=0.2))
            return len(found) >= count

        eventually(f"{count} records are read", has_all)
    return found
