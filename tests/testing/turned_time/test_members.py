"""Members while time is moved on: those that live stay, however long that is, and those that are silent go.

Real time passes between two steps, so nothing is asserted that a slow machine changes.
"""

from __future__ import annotations

import asyncio
import threading

from kafka_nextgen import AsyncConsumer, Consumer
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing import Clock, Cluster
from kafka_nextgen.wire import apis
from tests.testing.broker.client import Client, join_request
from tests.testing.broker.extended import describe
from tests.testing.broker.group_requests import heartbeat
from tests.testing.turned_time.conftest import NewConsumer


def state_of(client: Client, group: str = "billing") -> str:
    return describe(client, group).group_state


def test_the_session_of_a_silent_member_ends_at_its_time(cluster: Cluster, client: Client) -> None:
    heartbeat(client, "billing", 0, subscribed_topic_names=["orders"])
    cluster.advance(seconds=25)
    assert state_of(client) == "Stable"
    cluster.advance(seconds=20)
    assert state_of(client) == "Empty"


def test_a_member_that_lives_has_its_session_after_ten_minutes(cluster: Cluster, new_consumer: NewConsumer) -> None:
    consumer = new_consumer(max_poll_interval_ms=3600 * 1000)
    member = consumer.group_metadata()
    heartbeats = consumer.metrics().group.heartbeats
    cluster.advance(seconds=600)
    assert consumer.group_metadata() == member
    assert 115 < consumer.metrics().group.heartbeats - heartbeats < 160  # one each five seconds


def test_one_that_lives_gets_the_partitions_of_one_that_is_silent(
    cluster: Cluster, client: Client, new_consumer: NewConsumer
) -> None:
    heartbeat(client, "billing", 0, subscribed_topic_names=["orders"])
    with Consumer(bootstrap_servers=cluster.bootstrap_servers, group_id="billing") as consumer:
        consumer.subscribe(["orders"])
        cluster.advance(seconds=25)
        assert not consumer.poll(0)
        assert not consumer.assignment()
        cluster.advance(seconds=30)
        consumer.poll(0)
        assert len(consumer.assignment()) == 1


def test_a_member_that_does_not_let_go_is_fenced_after_its_rebalance_timeout(cluster: Cluster, client: Client) -> None:
    stubborn = heartbeat(client, "billing", 0, subscribed_topic_names=["orders"], rebalance_timeout_ms=40_000)
    heartbeat(client, "billing", 0, member_id="B", subscribed_topic_names=["orders"], server_assignor="range")
    told = heartbeat(client, "billing", stubborn.member_epoch, subscribed_topic_names=["payments"])
    assert told.assignment.topic_partitions == ()
    cluster.advance(seconds=20)
    assert heartbeat(client, "billing", told.member_epoch).error_code == 0
    cluster.advance(seconds=20)
    assert heartbeat(client, "billing", told.member_epoch).error_code == ErrorCode.UNKNOWN_MEMBER_ID


def test_an_application_that_does_not_poll_loses_its_partitions(cluster: Cluster, new_consumer: NewConsumer) -> None:
    consumer = new_consumer()
    cluster.advance(seconds=250)
    assert consumer.metrics().group.member_epoch > 0
    cluster.advance(seconds=50)
    assert consumer.metrics().group.member_epoch == -1


def test_an_application_that_polls_in_a_thread_keeps_to_the_poll_interval(
    cluster: Cluster, new_consumer: NewConsumer
) -> None:
    consumer, stopped = new_consumer(), threading.Event()
    member, polls = consumer.group_metadata(), list[int]()

    def poll() -> None:
        while not stopped.is_set():
            polls.append(len(consumer.poll(timeout=30)))

    polling = threading.Thread(target=poll)
    polling.start()
    cluster.advance(seconds=360)  # longer than it may be silent
    stopped.set()
    cluster.advance(seconds=30)
    polling.join()
    assert consumer.group_metadata() == member
    assert 360 / 30 - 1 <= len(polls) <= 360 / 30 + 10


def test_a_poll_that_waits_returns_at_its_time(cluster: Cluster, new_consumer: NewConsumer) -> None:
    consumer, began = new_consumer(), cluster.clock.monotonic()
    polling = threading.Thread(target=consumer.poll, args=(200,))
    polling.start()
    cluster.advance(seconds=150)
    assert polling.is_alive()
    cluster.advance(seconds=51)
    polling.join()
    assert 200 <= cluster.clock.monotonic() - began < 300


async def test_an_async_consumer_goes_by_the_clock_too(cluster: Cluster) -> None:
    async with AsyncConsumer(bootstrap_servers=cluster.bootstrap_servers, group_id="billing") as consumer:
        await consumer.subscribe(["orders"])
        while not consumer.assignment():
            await consumer.poll(0.1)
        member = consumer.group_metadata()
        polling = asyncio.ensure_future(consumer.poll(timeout=100))
        await asyncio.sleep(0)
        await asyncio.to_thread(cluster.advance, seconds=101)
        assert not await polling
        assert consumer.group_metadata() == member


def test_a_join_that_waits_for_others_is_answered_after_the_initial_delay() -> None:
    patient = {"group.initial.rebalance.delay.ms": 60_000}
    with Cluster(clock=Clock(), config=patient) as cluster, Client(cluster.bootstrap_servers) as client:
        client.send(join_request("classic", rebalance_timeout_ms=300_000), 3)
        cluster.advance(seconds=30)
        assert not client.has_answer(0)
        cluster.advance(seconds=30)
        assert client.receive(apis.JOIN_GROUP, 3).error_code == 0


def test_two_clocks_do_not_disturb_each_other(cluster: Cluster, client: Client, new_consumer: NewConsumer) -> None:
    here = new_consumer()
    with Cluster(clock=Clock(), config={"group.consumer.assignment.interval.ms": 0}) as there:
        there.create_topic("orders")
        with Client(there.bootstrap_servers) as other:
            heartbeat(client, "silent", 0, subscribed_topic_names=["orders"])
            heartbeat(other, "silent", 0, subscribed_topic_names=["orders"])
            there.advance(seconds=50)
            assert (state_of(client, "silent"), state_of(other, "silent")) == ("Stable", "Empty")
            cluster.advance(seconds=50)
            assert state_of(client, "silent") == "Empty"
            assert here.health().since_poll_s < 100


def test_clusters_may_share_a_clock(cluster: Cluster, client: Client) -> None:
    with Cluster(clock=cluster.clock) as there:
        heartbeat(client, "silent", 0, subscribed_topic_names=["orders"])
        there.advance(seconds=50)
        assert state_of(client, "silent") == "Empty"
