"""confluent-kafka's consumers go from the classic protocol to the consumer protocol and back, one after the other.

They assign eagerly. Its sticky assignors write user data into assignments, and with that no group is upgraded, neither
here nor by Kafka.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
from confluent_kafka import Consumer
from confluent_kafka.admin import AdminClient

from kafka_nextgen.testing import Cluster
from tests.support.clients import create_topic, produce, unique
from tests.support.waiting import GUARD_S, eventually

PARTITIONS, BATCH = 4, 100

CONFIG = {
    "group.consumer.heartbeat.interval.ms": 200,
    "group.consumer.min.heartbeat.interval.ms": 200,
    "group.initial.rebalance.delay.ms": 0,
    "group.consumer.assignment.interval.ms": 0,
}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster(config=CONFIG) as cluster:
        yield cluster


class Fleet:
    """The consumers of one group on one topic, by name; each phase they read all there is, and commit it."""

    def __init__(self, bootstrap_servers: str, strategy: str) -> None:
        self.group = unique("fleet")
        self._config = {"bootstrap.servers": bootstrap_servers, "group.id": self.group, "enable.auto.commit": False}
        self._classic = {"partition.assignment.strategy": strategy, "heartbeat.interval.ms": 200}
        self._bootstrap_servers = bootstrap_servers
        self.topic = create_topic(bootstrap_servers, "rolling", PARTITIONS)
        self.consumers: dict[str, Consumer] = {}
        self.read: list[int] = []

    def start(self, name: str, protocol: str) -> None:
        more = self._classic if protocol == "classic" else {}
        config = {**self._config, **more, "group.protocol": protocol, "auto.offset.reset": "earliest"}
        self.consumers[name] = Consumer(config)
        self.consumers[name].subscribe([self.topic])

    def stop(self, name: str) -> None:
        self.consumers.pop(name).close()

    def share_and_read(self) -> None:
        """Wait until everybody has the same number of partitions, then for a batch of records of its own."""
        fair = PARTITIONS // len(self.consumers)
        eventually("everybody has a fair share", lambda: self._poll() or self._shares() == [fair] * len(self.consumers))
        produce(self._bootstrap_servers, self.topic, BATCH, partitions=PARTITIONS, first=len(self.read))
        expected = len(self.read) + BATCH
        eventually("the batch is read", lambda: self._poll() or len(self.read) >= expected)

    def _shares(self) -> list[int]:
        return [len(consumer.assignment()) for consumer in self.consumers.values()]

    def _poll(self) -> None:
        for consumer in self.consumers.values():
            messages = consumer.consume(BATCH, timeout=0.05)
            self.read += [int(message.value()) for message in messages]
            if messages:
                consumer.commit(asynchronous=False)

    def close(self) -> None:
        for name in list(self.consumers):
            self.stop(name)


def protocol_of(cluster: Cluster, fleet: Fleet) -> str:
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
    listed = {group.group_id: group for group in admin.list_consumer_groups().result(timeout=GUARD_S).valid}
    return listed[fleet.group].type.name


@pytest.mark.parametrize("strategy", ["range", "roundrobin"])
def test_consumers_are_upgraded_and_downgraded_and_read_every_record_once(cluster: Cluster, strategy: str) -> None:
    types = []
    with closing(Fleet(cluster.bootstrap_servers, strategy)) as fleet:
        fleet.start("A", "classic")
        fleet.start("B", "classic")
        fleet.share_and_read()
        for old, new, protocol in zip("ABCD", "CDEF", ["consumer", "consumer", "classic", "classic"], strict=True):
            fleet.stop(old)
            fleet.start(new, protocol)
            fleet.share_and_read()
            types.append(protocol_of(cluster, fleet))
    assert sorted(fleet.read) == list(range(5 * BATCH))
    assert types == ["CONSUMER", "CONSUMER", "CONSUMER", "CLASSIC"]
