"""Quotas on the wire, and both ends together: the broker asks to be left alone, and our consumer does so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from kafka_nextgen import Consumer
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import MisuseError
from kafka_nextgen.testing import Clock, Cluster
from kafka_nextgen.wire import apis
from tests.support.clients import create_topic, unique
from tests.support.kafka_server import KafkaServer
from tests.support.waiting import eventually
from tests.testing.broker.client import Client
from tests.testing.broker.requests import fetch_request, metadata, produce, produce_request, records_of, values

SIZE = 2_000  # bytes of a record; of some quotas more than all windows together allow
BATCH = values("a" * SIZE)
BURST_S = 10  # so much of a rate may be used at once


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster(config={"group.consumer.assignment.interval.ms": 0}) as running:
        running.create_topic("orders")
        yield running


@pytest.fixture(autouse=True)
def without_quotas(cluster: Cluster) -> Iterator[None]:
    yield
    for kind in ("producer_byte_rate", "consumer_byte_rate", "request_percentage"):
        cluster.set_quota(kind, None, client_id="tests")


def alter(
    client: Client, value: float, *, of: Mapping[str, str | None], key: str = "producer_byte_rate", remove: bool = False
) -> Any:
    entity = [{"entity_type": kind, "entity_name": name} for kind, name in of.items()]
    entries = [{"entity": entity, "ops": [{"key": key, "value": value, "remove": remove}]}]
    return client.ask(apis.ALTER_CLIENT_QUOTAS, entries=entries).entries[0]


def test_too_much_produced_is_answered_at_once_and_its_client_alone_is_throttled(
    cluster: Cluster, client: Client
) -> None:
    """That nothing more is read of it for a while: tests/testing/turned_time/test_intervals.py."""
    cluster.set_quota("producer_byte_rate", 200, client_id="tests")
    told = client.ask(apis.PRODUCE, produce_request("orders", BATCH), 12)
    assert told.responses[0].partition_responses[0].error_code == ErrorCode.NONE
    assert 100 < told.throttle_time_ms < 2_000
    with Client(cluster.bootstrap_servers) as other:
        assert metadata(other, "orders").throttle_time_ms == 0


def test_a_fetch_is_counted_by_its_answer_and_gets_no_more_than_its_quota_can_bear(
    cluster: Cluster, client: Client
) -> None:
    for _ in range(4):
        client.ask(apis.PRODUCE, produce_request("orders", BATCH), 12)
    cluster.set_quota("consumer_byte_rate", 250, client_id="tests")
    first, second = (client.ask(apis.FETCH, fetch_request("orders"), 12) for _ in range(2))
    assert 0 < len(first.responses[0].partitions[0].records) <= 250 * BURST_S
    assert first.throttle_time_ms == 0
    assert second.throttle_time_ms > 100
    assert second.responses == ()


def test_the_time_of_requests_can_be_limited(cluster: Cluster, client: Client) -> None:
    cluster.set_quota("request_percentage", 0.000_01, client_id="tests")
    assert 0 < metadata(client, "orders").throttle_time_ms <= 1_000


def test_a_request_whose_answer_can_not_tell_of_throttling_is_exempt(cluster: Cluster, client: Client) -> None:
    cluster.set_quota("request_percentage", 0.000_01, client_id="tests")
    assert client.ask(apis.WRITE_TXN_MARKERS, version=1, markers=[]).markers == ()


def described(client: Client, *components: tuple[str, int, str | None], strict: bool = False) -> list[object]:
    asked = [{"entity_type": kind, "match_type": how, "match": name} for kind, how, name in components]
    answer = client.ask(apis.DESCRIBE_CLIENT_QUOTAS, components=asked, strict=strict)
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


def test_what_can_be_no_quota_is_refused(cluster: Cluster, client: Client) -> None:
    for entity, key, value in (
        ({}, "producer_byte_rate", 1),
        ({"shoe-size": "44"}, "producer_byte_rate", 1),
        ({"user": ""}, "producer_byte_rate", 1),
        ({"user": "alice"}, "records_per_day", 1),
        ({"user": "alice"}, "producer_byte_rate", 0),
        ({"user": "alice"}, "producer_byte_rate", float("nan")),
    ):
        assert alter(client, value, key=key, of=entity).error_code == ErrorCode.INVALID_REQUEST
    for kind, amount, user in (
        ("speed", 1, "alice"),
        ("request_percentage", 1, None),
        ("request_percentage", 0, "alice"),
    ):
        with pytest.raises(MisuseError):
            cluster.set_quota(kind, amount, user=user)


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


def test_a_fetch_beyond_the_quota_gets_no_records_and_begins_no_session(kafka: KafkaServer) -> None:
    topic, name = create_topic(kafka.bootstrap_servers, "limited"), unique("limited")

    def begin_session() -> Any:
        with Client(kafka.bootstrap_servers, client_id=name) as reader:  # one that is left alone afterwards
            return reader.ask(apis.FETCH, fetch_request(topic, session_epoch=0), 12)

    with Client(kafka.bootstrap_servers) as admin:
        produce(admin, topic, values("a" * SIZE))
        alter(admin, 100, key="consumer_byte_rate", of={"client-id": name})
        try:
            eventually("the quota holds", lambda: begin_session().throttle_time_ms > 0)
            answer = begin_session()
            assert 5_000 < answer.throttle_time_ms < 20_000, "what was not sent does not count"
            assert (answer.error_code, answer.session_id, answer.responses) == (ErrorCode.NONE, 0, ())
        finally:
            alter(admin, 0, key="consumer_byte_rate", of={"client-id": name}, remove=True)
        eventually("no quota holds", lambda: begin_session().throttle_time_ms == 0)
        answer = begin_session()
        assert answer.session_id != 0
        assert records_of(answer.responses[0].partitions[0]) == [(0, "a" * SIZE)]
