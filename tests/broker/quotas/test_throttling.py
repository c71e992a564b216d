"""Quotas on the wire, and both ends together: the broker asks to be left alone, and our consumer does so."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kafka_nextgen import Consumer
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import MisuseError
from kafka_nextgen.testing import Clock, Cluster
from kafka_nextgen.wire import apis
from kafka_nextgen.wire import messages as m
from tests.broker.client import Client
from tests.broker.quotas.quota_requests import alter
from tests.broker.requests import metadata, produce_request, values

BATCH = values("a" * 2_000)
BURST_S = 10  # so much of a rate may be used at once


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster(config={"group.consumer.assignment.interval.ms": 0}) as running:
        running.create_topic("orders")
        yield running


@pytest.fixture
def client(cluster: Cluster) -> Iterator[Client]:
    with Client(cluster.bootstrap_servers) as connected:
        yield connected
    for kind in ("producer_byte_rate", "consumer_byte_rate", "request_percentage"):
        cluster.set_quota(kind, None, client_id="tests")


def test_too_much_produced_is_answered_at_once_and_nothing_more_is_read_for_a_while(
    cluster: Cluster, client: Client
) -> None:
    cluster.set_quota("producer_byte_rate", 200, client_id="tests")
    told = client.ask(apis.PRODUCE, produce_request("orders", BATCH), 12)
    assert told.responses[0].partition_responses[0].error_code == ErrorCode.NONE
    assert 100 < told.throttle_time_ms < 2_000
    client.send(m.MetadataRequest(topics=[]), 12)
    assert not client.has_answer(told.throttle_time_ms / 2_000)
    assert client.receive(apis.METADATA, 12).throttle_time_ms == 0
    with Client(cluster.bootstrap_servers) as other:
        assert metadata(other, "orders").throttle_time_ms == 0


def test_a_fetch_is_counted_by_its_answer_and_gets_no_more_than_its_quota_can_bear(
    cluster: Cluster, client: Client
) -> None:
    for _ in range(4):
        client.ask(apis.PRODUCE, produce_request("orders", BATCH), 12)
    cluster.set_quota("consumer_byte_rate", 250, client_id="tests")
    first, second = (client.ask(apis.FETCH, m.FetchRequest(**_fetch()), 12) for _ in range(2))
    assert 0 < len(first.responses[0].partitions[0].records) <= 250 * BURST_S
    assert first.throttle_time_ms == 0
    assert second.throttle_time_ms > 100
    assert second.responses == ()


def _fetch() -> dict[str, object]:
    topic = m.FetchRequest.FetchTopic
    partition = topic.FetchPartition(partition=0, fetch_offset=0, partition_max_bytes=1_000_000)
    return {
        "max_wait_ms": 0,
        "min_bytes": 0,
        "max_bytes": 10_000_000,
        "topics": [topic(topic="orders", partitions=[partition])],
        "forgotten_topics_data": [],
        "rack_id": "",
    }


def test_the_time_of_requests_can_be_limited(cluster: Cluster, client: Client) -> None:
    cluster.set_quota("request_percentage", 0.000_01, client_id="tests")
    assert 0 < metadata(client, "orders").throttle_time_ms <= 1_000


def described(client: Client, *components: tuple[str, int, str | None], strict: bool = False) -> list[object]:
    component = m.DescribeClientQuotasRequest.ComponentData
    asked = [component(entity_type=kind, match_type=how, match=name) for kind, how, name in components]
    answer = client.ask(apis.DESCRIBE_CLIENT_QUOTAS, m.DescribeClientQuotasRequest(components=asked, strict=strict))
    return [
        ({part.entity_type: part.entity_name for part in entry.entity}, {each.key: each.value for each in entry.values})
        for entry in answer.entries
    ]


def test_quotas_are_changed_and_described_by_admin_clients(client: Client) -> None:
    of_alice = ({"user": "alice"}, {"producer_byte_rate": 1_000.0})
    of_both = ({"user": "alice", "client-id": None}, {"producer_byte_rate": 500.0})
    for entity, values_ in (of_alice, of_both):
        assert alter(client, values_["producer_byte_rate"], of=entity).error_code == ErrorCode.NONE
    assert described(client) == [of_alice, of_both]
    assert described(client, ("user", 0, "alice")) == [of_alice, of_both]
    assert described(client, ("user", 0, "alice"), strict=True) == [of_alice]
    assert described(client, ("client-id", 1, None)) == [of_both]
    assert described(client, ("user", 2, None), ("client-id", 0, "app")) == []
    for entity, _ in (of_alice, of_both):
        alter(client, 0, of=entity, remove=True)
    assert described(client) == []


@pytest.mark.parametrize(
    ("entity", "key", "value"),
    [
        ({}, "producer_byte_rate", 1),
        ({"shoe-size": "44"}, "producer_byte_rate", 1),
        ({"user": ""}, "producer_byte_rate", 1),
        ({"user": "alice"}, "records_per_day", 1),
        ({"user": "alice"}, "producer_byte_rate", 0),
        ({"user": "alice"}, "producer_byte_rate", float("nan")),
    ],
)
def test_what_can_be_no_quota_is_refused(client: Client, entity: dict[str, str], key: str, value: float) -> None:
    assert alter(client, value, key=key, of=entity).error_code == ErrorCode.INVALID_REQUEST


@pytest.mark.parametrize(
    ("kind", "amount", "who"),
    [("speed", 1, "alice"), ("request_percentage", 1, None), ("request_percentage", 0, "alice")],
)
def test_a_test_is_told_what_can_be_no_quota(cluster: Cluster, kind: str, amount: float, who: str | None) -> None:
    with pytest.raises(MisuseError):
        cluster.set_quota(kind, amount, user=who)


def test_our_consumer_leaves_the_broker_alone_and_still_reads_everything() -> None:
    config = {"auto.offset.reset": "earliest", "client.id": "reader"}
    with Cluster(clock=Clock()) as cluster:
        cluster.create_topic("payments")
        with Client(cluster.bootstrap_servers) as client:
            for number in range(5):
                batch = values(*(f"{number}-{index}" + "x" * 500 for index in range(4)))
                client.ask(apis.PRODUCE, produce_request("payments", batch), 12)
        cluster.set_quota("consumer_byte_rate", 1_000, client_id="reader")
        with Consumer(config, bootstrap_servers=cluster.bootstrap_servers, group_id="billing") as consumer:
            consumer.subscribe(["payments"])
            read = 0
            while read < 20:
                read += len(consumer.poll(timeout=0))
                cluster.advance(seconds=1)
            assert consumer.metrics().connections.throttled_ms > 0
