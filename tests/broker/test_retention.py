"""Segments go that are too old (retention.ms), and what is too much (retention.bytes)."""

from __future__ import annotations

import pytest

from kafka_nextgen.broker.cleanup import drop_expired
from kafka_nextgen.broker.topic import Topic
from kafka_nextgen.broker.topic_settings import TopicSettings
from kafka_nextgen.broker.topics import Topics
from kafka_nextgen.testing import Cluster
from kafka_nextgen.wire.records import NewRecord, encode_batch, read_batches
from tests.broker.client import Client
from tests.broker.requests import list_offset, produce, values
from tests.broker.topic_requests import create, new_topic_request
from tests.support.waiting import eventually


def topic(*timestamps: int, **overrides: str) -> Topic:
    """A topic with one partition, and a batch for each timestamp, each in a segment of its own."""
    given = {"segment_bytes": "1", **overrides}
    settings = TopicSettings({key.replace("_", "."): value for key, value in given.items()})
    made = Topics([1]).create("orders", ((1,),), settings)
    for timestamp in timestamps:
        (batch,) = read_batches(encode_batch([NewRecord(b"x", timestamp=timestamp)]))
        made.partitions[0].log.append(batch)
    return made


@pytest.mark.parametrize(
    ("timestamps", "now_ms", "begins"),
    [
        pytest.param((1_000, 2_000, 3_000), 3_000, 0, id="nothing is older than a second and a half, but to the ms"),
        pytest.param((1_000, 2_000, 3_000), 3_501, 2, id="two are"),
        pytest.param((1_000, 2_000, 3_000), 9_000, 3, id="all are"),
        pytest.param((1_000, 9_000, 2_000, 3_000), 5_000, 1, id="a wrong time keeps what follows it"),
        pytest.param((), 9_000, 0, id="there is nothing"),
    ],
)
def test_what_is_older_goes(timestamps: tuple[int, ...], now_ms: int, begins: int) -> None:
    orders = topic(*timestamps, retention_ms="1500" if now_ms > 3_000 else "2000")
    drop_expired(orders, now_ms)
    assert orders.partitions[0].log.start_offset == begins


@pytest.mark.parametrize("overrides", [{"retention_ms": "-1"}, {"retention_ms": "1", "cleanup_policy": "compact"}])
def test_a_topic_may_keep_everything(overrides: dict[str, str]) -> None:
    orders = topic(1_000, **overrides)
    drop_expired(orders, 10**12)
    assert orders.partitions[0].log.start_offset == 0


def test_what_is_too_old_stays_with_what_is_not_in_its_segment() -> None:
    orders = topic(1_000, 2_000, 3_000, retention_ms="1500", segment_bytes="1000")
    drop_expired(orders, 3_501)
    assert orders.partitions[0].log.start_offset == 0


@pytest.mark.parametrize(("segment_bytes", "begins"), [(100, 2), (1_048_576, 0)])
def test_what_is_too_much_goes_by_segments(segment_bytes: int, begins: int) -> None:
    with Cluster(config={"log.segment.bytes": segment_bytes}) as cluster, Client(cluster.bootstrap_servers) as client:
        create(client, new_topic_request("orders", configs={"retention.bytes": "1"}))
        for value in "abc":
            last = produce(client, "orders", values(value))
        assert last.log_start_offset == list_offset(client, "orders", -2).offset == begins


def test_the_broker_looks_from_time_to_time() -> None:
    with Cluster(config={"log.retention.check.interval.ms": 20}) as cluster:
        cluster.create_topic("orders", 1)
        with Client(cluster.bootstrap_servers) as client:
            produce(client, "orders", encode_batch([NewRecord(b"x", timestamp=1_000)]))
            eventually("the record of 1970 is gone", lambda: list_offset(client, "orders", -2).offset == 1)
