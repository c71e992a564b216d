"""What two members count adds up to what was written."""

from __future__ import annotations

import pytest

from kafka_nextgen import Consumer, Metrics
from tests.endtoend.reading import config_of, poll_until, read
from tests.opentelemetry.telemetry import Telemetry
from tests.support.clients import create_topic, produce, stored_offsets, unique
from tests.support.kafka_server import KafkaServer

COUNT = 400


@pytest.fixture
def telemetry() -> Telemetry:
    return Telemetry()


def counted(metrics: Metrics, topic: str) -> int:
    """What was handed over, by whichever number."""
    reading = metrics.reading
    assert reading.records == (reading.topics[topic].records if reading.records else 0)
    assert reading.records <= reading.fetched_records
    return reading.records


def see_two_members(kafka: KafkaServer, telemetry: Telemetry, **config: object) -> None:
    """Let two members read together, and add up what both counted.

    A commit may fail: it has the 50 ms of its interval, also where it meets the coordinator between two epochs. Then
    the next one covers it.
    """
    servers, topic = kafka.bootstrap_servers, create_topic(kafka.bootstrap_servers, "seeing", partitions=4)
    group = unique("seeing")
    settings = config_of(kafka, group, enable_auto_commit=True, auto_commit_interval_ms=50, **config)
    with Consumer(**settings) as first:
        telemetry.instrument(first)
        first.subscribe([topic])
        produce(servers, topic, COUNT, partitions=4)
        read(first, COUNT)
        poll_until([first], lambda: sum(stored_offsets(servers, group).values()) == COUNT)
        with Consumer(**settings) as second:
            second.subscribe([topic])
            both = [first, second]
            poll_until(both, lambda: [len(one.assignment()) for one in both] == [2, 2])
            produce(servers, topic, COUNT, partitions=4, first=COUNT)
            poll_until(both, lambda: sum(counted(one.metrics(), topic) for one in both) >= 2 * COUNT)
            assert second.metrics().reading.records == COUNT / 2
            assert second.metrics().group.rebalances_by_cause["joined"] == 1
        metrics = first.metrics()
        shared = next(rebalance for rebalance in first.rebalances() if rebalance.revoked)
    assert (metrics.group.failed_rebalances, metrics.connections.lost) == (0, 0)
    assert metrics.commits.commits >= 1
    assert metrics.group.heartbeats >= 1
    assert metrics.connections.bytes_in > 0
    assert len(shared.kept) == 2
    assert shared.epoch_after > shared.epoch_before
    assert shared.reason != ""
    assert telemetry.value("messaging.client.consumed.messages") == metrics.reading.records
    assert len(telemetry.spans("rebalance")) == sum(first.metrics().group.rebalances_by_cause.values())
    assert sum(stored_offsets(servers, group).values()) == 2 * COUNT


def test_what_two_members_count_adds_up(kafka: KafkaServer, telemetry: Telemetry) -> None:
    see_two_members(kafka, telemetry)


def test_what_two_classic_members_count_adds_up(real_kafka: KafkaServer, telemetry: Telemetry) -> None:
    quick = {"heartbeat_interval_ms": 200, "partition_assignment_strategy": "cooperative-sticky"}
    see_two_members(real_kafka, telemetry, group_protocol="classic", **quick)
