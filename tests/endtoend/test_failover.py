"""Coordinators and leaders are killed under load, and all that is noticed is a short wait: nothing is lost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka import Consumer as ConfluentConsumer
from confluent_kafka import KafkaError, KafkaException

from kafka_nextgen.testing import Cluster
from tests.endtoend.load import Load
from tests.endtoend.readers import Readers
from tests.support.clients import idempotent_producer, send, stored_offsets
from tests.support.waiting import GUARD_S, eventually

PARTITIONS = 4
KILLS = 3
ROUNDS = 2  # of records for the other client, each followed by a kill
BETWEEN_KILLS = 100  # records that are read and committed before the next one
CONFIG = {
    "default.replication.factor": 3,
    "offsets.topic.num.partitions": 5,
    "group.consumer.assignment.interval.ms": 0,
    "group.consumer.min.heartbeat.interval.ms": 100,
    "group.consumer.heartbeat.interval.ms": 100,
    "group.initial.rebalance.delay.ms": 100,
}


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(brokers=3, config=CONFIG) as running:
        running.create_topic("orders", PARTITIONS)
        yield running


def kill_coordinator(cluster: Cluster) -> None:
    """Kill the node that coordinates the group, and bring it back once another does."""
    node = cluster.coordinator_of("billing")
    assert node is not None
    cluster.stop_node(node)
    assert cluster.coordinator_of("billing") not in (node, None)
    cluster.start_node(node)


@pytest.mark.parametrize("protocol", ["consumer", "classic"])
def test_members_live_through_the_death_of_their_coordinators(cluster: Cluster, protocol: str) -> None:
    servers = cluster.bootstrap_servers
    with Readers(servers, "billing", "orders", dynamic=1, static=1, protocol=protocol) as readers:
        eventually("every member has a share", lambda: len(_owners(cluster)) == 2)
        with Load(servers, "orders", PARTITIONS) as load:
            for _ in range(KILLS):
                wait_for_commits(readers, sum(readers.committed().values()) + BETWEEN_KILLS)
                kill_coordinator(cluster)
        eventually("all is read", lambda: readers.count() >= load.sent or _failed(readers))
        assert readers.failures() == []
    assert load.misplaced == []
    expected = {
        partition: [number // PARTITIONS for number in range(partition, load.sent, PARTITIONS)]
        for partition in range(PARTITIONS)
    }
    assert {partition: sorted(offsets) for partition, offsets in readers.read().items()} == expected


def wait_for_commits(readers: Readers, count: int) -> None:
    """Return once positions were committed that add up to ``count``."""
    eventually("commits go on", lambda: sum(readers.committed().values()) >= count or _failed(readers))


def _failed(readers: Readers) -> bool:
    return bool(readers.failures())


def _owners(cluster: Cluster) -> set[str]:
    """The members that have something."""
    shard = cluster._broker._cluster.groups.shard_of("billing")
    group = None if shard is None else shard.coordinator.groups.get("billing")
    if group is None:
        return set()
    if group.classic is not None:
        return {member.member_id for member in group.classic.in_order() if member.assignment}
    return {member_id for member_id, current in group.currents.items() if current.assigned}


@pytest.mark.parametrize("protocol", ["consumer", "classic"])
def test_confluents_consumer_lives_through_it_and_through_coordinators_that_are_slow_to_load(
    cluster: Cluster, protocol: str
) -> None:
    producer = idempotent_producer(cluster.bootstrap_servers)
    consumer = ConfluentConsumer(
        {
            "bootstrap.servers": cluster.bootstrap_servers,
            "group.id": "billing",
            "group.protocol": protocol,
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            "log_level": 0,  # it would tell of every connection that ends
        }
    )
    consumer.subscribe(["orders"])
    seen: list[int] = []
    for round_ in range(ROUNDS):
        send(producer, "orders", range(100 * round_, 100 * (round_ + 1)), PARTITIONS)
        producer.flush(GUARD_S)
        eventually("all is read", lambda count=100 * (round_ + 1): _poll(consumer, seen) >= count)
        eventually("the commit is acknowledged", lambda: _commit(consumer))
        with cluster.loading_held():
            kill_coordinator(cluster)
            consumer.poll(0.3)
    assert len(seen) == len(set(seen)) == 100 * ROUNDS
    assert stored_offsets(cluster.bootstrap_servers, "billing") == dict.fromkeys(range(PARTITIONS), 25 * ROUNDS)
    consumer.close()


def _commit(consumer: Any) -> bool:
    """Commit, and return whether the coordinator was found: this client leaves it to the application to try again."""
    try:
        consumer.commit(asynchronous=False)
    except KafkaException as error:
        if error.args[0].code() not in (KafkaError.NOT_COORDINATOR, KafkaError.COORDINATOR_LOAD_IN_PROGRESS):
            raise
        return False
    return True


def _poll(consumer: Any, seen: list[int]) -> int:
    for message in consumer.consume(500, 0.2):
        assert message.error() is None
        seen.append(message.partition() + PARTITIONS * message.offset())
    return len(seen)
