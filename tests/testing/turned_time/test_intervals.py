"""What else is due at a time: delayed answers, throttles, retention, backoff, idle connections, auto-commit."""

from __future__ import annotations

from kafka_nextgen import TopicPartition
from kafka_nextgen.testing import Clock, Cluster
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.messages import MetadataRequest
from kafka_nextgen.wire.records import NewRecord, encode_batch
from tests.testing.broker.client import Client
from tests.testing.broker.group_requests import commit, committed
from tests.testing.broker.requests import fetch_request, list_offset, produce, produce_request, values
from tests.testing.broker.topic_requests import create, new_topic_request
from tests.testing.turned_time.conftest import NewConsumer

DAY_S = 24 * 3600
WEEK_S = 7 * DAY_S
#: The broker looks for what is old once a day, and the client is silent for longer than that.
RARELY = {
    "log.retention.check.interval.ms": DAY_S * 1000,
    "offsets.retention.check.interval.ms": DAY_S * 1000,
    "connections.max.idle.ms": WEEK_S * 1000,
}


def test_a_fetch_that_waits_is_answered_when_its_wait_is_over(cluster: Cluster, client: Client) -> None:
    client.send(fetch_request("orders", min_bytes=1, max_wait_ms=60_000), 12)
    cluster.advance(seconds=30)
    assert not client.has_answer(0)
    cluster.advance(seconds=30)
    answer = client.receive(apis.FETCH, 12)
    assert (answer.error_code, answer.responses[0].partitions[0].records) == (0, b"")


def test_a_throttled_client_is_read_again_when_its_throttle_is_over(cluster: Cluster, client: Client) -> None:
    cluster.set_quota("producer_byte_rate", 20, client_id="tests")
    throttle_ms = client.ask(apis.PRODUCE, produce_request("orders", values("a" * 2_000)), 12).throttle_time_ms
    assert throttle_ms > 10_000
    client.send(MetadataRequest(topics=[]), 12)
    cluster.advance(seconds=throttle_ms / 2000)
    assert not client.has_answer(0)
    cluster.advance(seconds=throttle_ms / 2000)
    assert client.receive(apis.METADATA, 12).throttle_time_ms == 0


def test_records_are_kept_as_long_as_their_topic_says_and_offsets_of_an_empty_group_for_a_week() -> None:
    with Cluster(clock=Clock(), config=RARELY) as cluster, Client(cluster.bootstrap_servers) as client:
        create(client, new_topic_request("orders", configs={"retention.ms": str(WEEK_S * 1000)}))
        produce(client, "orders", encode_batch([NewRecord(b"x", timestamp=int(cluster.clock.time() * 1000))]))
        commit(client, "billing", "orders", 5)
        cluster.advance(seconds=6 * DAY_S)
        assert (list_offset(client, "orders", -2).offset, committed(client, "billing", "orders")) == (0, 5)
        cluster.advance(seconds=2 * DAY_S + 1)
        assert (list_offset(client, "orders", -2).offset, committed(client, "billing", "orders")) == (1, -1)


def test_records_and_their_broker_have_the_same_time(cluster: Cluster, client: Client) -> None:
    create(client, new_topic_request("stamped", configs={"message.timestamp.type": "LogAppendTime"}))
    first = produce(client, "stamped", values("a")).log_append_time_ms
    cluster.advance(seconds=500)
    second = produce(client, "stamped", values("b")).log_append_time_ms
    assert 0 <= second - first - 500_000 < 60_000
    assert abs(second / 1000 - cluster.clock.time()) < 60


def test_a_client_that_sends_nothing_is_hung_up_on(cluster: Cluster, client: Client) -> None:
    cluster.advance(seconds=500)
    assert not client.has_answer(0)
    cluster.advance(seconds=100)
    assert client.is_hung_up()


def test_a_refused_connection_is_tried_again_after_its_backoff(cluster: Cluster, new_consumer: NewConsumer) -> None:
    consumer = new_consumer(reconnect_backoff_ms=30_000, reconnect_backoff_max_ms=30_000)
    cluster.stop_node(1)
    cluster.advance(seconds=2)  # it has tried meanwhile
    cluster.start_node(1)
    with Client(cluster.bootstrap_servers) as again:
        produce(again, "orders", values("a"))
        cluster.advance(seconds=15)
        assert not consumer.poll(0)
        cluster.advance(seconds=60)
        assert [record.value for record in consumer.poll(0)] == [b"a"]


def test_auto_commit_happens_at_its_interval(cluster: Cluster, client: Client, new_consumer: NewConsumer) -> None:
    produce(client, "orders", values("a"))
    consumer = new_consumer(enable_auto_commit=True, auto_commit_interval_ms=30_000)
    cluster.advance(seconds=0)
    assert len(consumer.poll(0)) + consumer.position(TopicPartition("orders", 0)) > 0
    consumer.poll(0)
    cluster.advance(seconds=10)
    assert committed(client, "billing", "orders") == -1
    cluster.advance(seconds=25)
    assert committed(client, "billing", "orders") == 1


def test_a_connection_without_requests_is_closed_by_its_consumer(cluster: Cluster, new_consumer: NewConsumer) -> None:
    consumer = new_consumer(connections_max_idle_ms=120_000, metadata_max_age_ms=3600 * 1000)
    before = consumer.metrics().connections
    cluster.advance(seconds=200)
    after = consumer.metrics().connections
    assert after.closed > before.closed
    assert after.lost == before.lost, "the consumer closes it, not the broker"
