"""What a broker counts of its groups, by Kafka's names."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kafka_nextgen import Consumer, GroupAdmin, TopicPartition
from kafka_nextgen.testing import Clock, Cluster
from tests.endtoend.reading import poll_until
from tests.testing.broker.client import Client
from tests.testing.broker.group_requests import commit

CONFIG = {
    "group.consumer.assignment.interval.ms": 0,
    "group.consumer.min.heartbeat.interval.ms": 100,
    "group.consumer.heartbeat.interval.ms": 100,
    "group.initial.rebalance.delay.ms": 0,
    "offsets.topic.num.partitions": 3,
}


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(config=CONFIG) as cluster:
        cluster.create_topic("orders", partitions=4)
        yield cluster


def member(cluster: Cluster, group: str, protocol: str) -> Consumer:
    consumer = Consumer(bootstrap_servers=cluster.bootstrap_servers, group_id=group, group_protocol=protocol)
    consumer.subscribe(["orders"])
    poll_until([consumer], lambda: len(consumer.assignment()) == 4)
    return consumer


def test_nothing_happened_yet(cluster: Cluster) -> None:
    numbers = cluster.metrics().as_dict()
    assert numbers['group-count{protocol="consumer"}'] == numbers['consumer-group-count{state="stable"}'] == 0
    assert numbers["offset-commit-count"] == numbers["consumer-group-rebalance-count"] == 0
    assert "event-processing-time-ms-max" not in numbers
    assert numbers["event-queue-size"] == 0
    assert 0 <= numbers["thread-idle-ratio-avg"] <= 1


def test_groups_are_counted_by_protocol_and_state(cluster: Cluster) -> None:
    with member(cluster, "billing", "consumer"), member(cluster, "legacy", "classic"):
        numbers = cluster.metrics().as_dict()
        for protocol in ("consumer", "classic"):
            assert numbers[f'group-count{{protocol="{protocol}"}}'] == 1
            assert numbers[f'{protocol}-group-count{{state="stable"}}'] == 1
    numbers = cluster.metrics().as_dict()
    assert numbers['consumer-group-count{state="empty"}'] == numbers['classic-group-count{state="empty"}'] == 1
    assert numbers['consumer-group-count{state="stable"}'] == 0


def test_rebalances_are_counted_as_they_end_or_as_epochs_rise(cluster: Cluster) -> None:
    with member(cluster, "billing", "consumer") as first:
        before = cluster.metrics().rebalances
        with member(cluster, "legacy", "classic"):
            now = cluster.metrics().rebalances
            assert (now.consumer - before.consumer, now.classic - before.classic) == (0, 1)
        epoch = first.group_metadata().member_epoch
        first.unsubscribe()
        now = cluster.metrics().rebalances
        assert (epoch >= 1, now.consumer - before.consumer, now.consumer_rate > 0) == (True, 1, True)


def test_offsets_are_counted_as_they_come_and_go(cluster: Cluster) -> None:
    partitions = [TopicPartition("orders", number) for number in range(4)]
    with GroupAdmin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        admin.alter_offsets("reports", dict.fromkeys(partitions, 1)).all()
        admin.alter_offsets("reports", dict.fromkeys(partitions[:2], 2)).all()
        offsets = cluster.metrics().offsets
        assert (offsets.kept, offsets.committed, offsets.commit_rate) == (4, 6, pytest.approx(6 / 30))
        admin.delete_offsets("reports", partitions[:1]).all()
        offsets = cluster.metrics().offsets
        assert (offsets.kept, offsets.deleted, offsets.expired) == (3, 1, 0)
        admin.delete(["reports"]).all()  # what goes with its group counts as neither
        offsets = cluster.metrics().offsets
        assert (offsets.kept, offsets.deleted, offsets.expired) == (0, 1, 0)


def test_coordinators_are_counted_and_timed(cluster: Cluster) -> None:
    with member(cluster, "billing", "consumer"):
        runtime = cluster.metrics().runtime
    assert runtime.partitions == {"loading": 0, "active": 3, "failed": 0}
    for latency in (runtime.processing_time, runtime.flush_time):
        assert 0 < latency.avg_ms <= latency.max_ms <= latency.total_ms
    assert 0 < runtime.idle_ratio < 1


def test_a_coordinator_that_moves_is_loading_and_then_timed() -> None:
    with Cluster(brokers=2, config=CONFIG) as cluster, GroupAdmin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        cluster.create_topic("orders")
        admin.alter_offsets("reports", {TopicPartition("orders", 0): 1}).all()
        other = 3 - (cluster.coordinator_of("reports") or 0)
        with cluster.loading_held():
            cluster.move_coordinator("reports", other)
            assert cluster.metrics().runtime.partitions == {"loading": 1, "active": 2, "failed": 0}
        assert admin.offsets("reports")[TopicPartition("orders", 0)].committed
        runtime = cluster.metrics().runtime
    assert runtime.partitions["active"] == 3
    assert runtime.load_time.max_ms is not None


def test_offsets_that_expired_are_counted_apart_from_those_deleted() -> None:
    config = {**CONFIG, "offsets.retention.minutes": 1}
    with Cluster(config=config, clock=Clock()) as cluster, Client(cluster.bootstrap_servers) as client:
        cluster.create_topic("orders")
        commit(client, "old", "orders", 1)
        cluster.advance(seconds=1_200)
        offsets = cluster.metrics().offsets
        assert (offsets.kept, offsets.committed, offsets.deleted, offsets.expired) == (0, 1, 0, 1)
