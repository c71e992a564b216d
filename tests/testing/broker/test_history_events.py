"""What the broker tells of its groups as events: through sockets, over a fail-over, and to a listener that fails."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from kafka_nextgen import Consumer
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.consumer_protocol import MemberSubscription, encode_assignment, encode_subscription
from kafka_nextgen.history.events import Event
from kafka_nextgen.history.json_lines import decode_event, encode_event
from kafka_nextgen.testing import Clock, Cluster
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire import apis
from tests.support.waiting import eventually
from tests.testing.broker.client import Client, join_request
from tests.testing.broker.group_requests import commit, heartbeat, is_joined, join, leave, sync
from tests.testing.broker.transactions.offset_transactions import begin, end

CONFIG = {
    "group.consumer.assignment.interval.ms": 0,
    "group.consumer.heartbeat.interval.ms": 100,
    "group.consumer.min.heartbeat.interval.ms": 50,
    "group.initial.rebalance.delay.ms": 0,
}


@pytest.fixture(scope="module")
def told() -> list[Event]:
    return []


@contextmanager
def telling(told: list[Event], **how: Any) -> Iterator[Cluster]:
    """A cluster with a topic of two partitions, whose events are kept."""
    with Cluster(config=CONFIG, history=told.append, **how) as running:
        running.create_topic("orders", 2)
        yield running


@pytest.fixture(scope="module")
def cluster(told: list[Event]) -> Iterator[Cluster]:
    with telling(told) as running:
        yield running


def of(told: list[Event], group: str) -> list[tuple[object, ...]]:
    """What was told of a group, but for targets, in few words."""
    return [brief(event) for event in list(told) if event.group == group and event.kind.value != "target"]


def brief(event: Event) -> tuple[object, ...]:
    fields = (event.member, event.epoch, event.partitions, event.offset, event.cause)
    return (event.kind.value, *(each for each in fields if each is not None))


def two_members(client: Client, group: str, **fields: Any) -> int:
    """A has both partitions, B comes, A gives one up; the group's epoch."""
    assert join(client, group, "A", **fields).member_epoch
    epoch = join(client, group, "B").member_epoch
    kept = heartbeat(client, group, epoch - 1).assignment.topic_partitions
    owned = [{"topic_id": each.topic_id, "partitions": each.partitions} for each in kept]
    heartbeat(client, group, epoch - 1, topic_partitions=owned)
    heartbeat(client, group, epoch, member_id="B")
    return epoch


def test_members_join_rebalance_commit_and_leave(client: Client, told: list[Event], group: str) -> None:
    epoch = two_members(client, group)
    assert commit(client, group, "orders", 7, epoch=epoch) == ErrorCode.NONE
    heartbeat(client, group, -1, member_id="B")
    assert of(told, group) == [
        ("joined", "A", epoch - 1),
        ("group epoch", "A", epoch - 1, "member joined"),
        ("assigned", "A", epoch - 1, (0, 1)),
        ("joined", "B", epoch),
        ("group epoch", "B", epoch, "member joined"),
        ("revoked", "A", epoch, (1,)),
        ("assigned", "A", epoch, ()),
        ("assigned", "B", epoch, (1,)),
        ("committed", "A", (0,), 7),
        ("revoked", "B", epoch, (1,), "member left"),
        ("left", "B", epoch, "member left"),
        ("group epoch", "B", epoch + 1, "member left"),
    ]


def test_targets_are_told_of_each_member_and_of_the_epoch(client: Client, told: list[Event], group: str) -> None:
    epoch = join(client, group, "A").member_epoch
    targets = [event for event in told if event.group == group and event.kind.value == "target"]
    assert [(each.member, each.epoch, each.topic, each.partitions) for each in targets] == [
        ("A", epoch, "orders", (0, 1)),
        (None, epoch, None, None),
    ]


def test_a_static_member_restarts(client: Client, told: list[Event], group: str) -> None:
    epoch = join(client, group, "A", instance_id="one").member_epoch
    heartbeat(client, group, -2, instance_id="one")
    assert join(client, group, "A2", instance_id="one").error_code == ErrorCode.NONE
    assert of(told, group)[3:] == [
        ("revoked", "A", epoch, (0, 1), "left temporarily"),
        ("left", "A", epoch, "left temporarily"),
        ("joined", "A2", epoch, "member restarted"),
        ("assigned", "A2", epoch, (0, 1)),
    ]


@pytest.mark.parametrize("extensions", [True, False])
def test_a_silent_member_is_fenced(extensions: bool) -> None:
    told: list[Event] = []
    with telling(told, extensions=extensions, clock=Clock()) as cluster:
        with Client(cluster.bootstrap_servers) as client:
            epoch = join(client, "billing", "A").member_epoch
        cluster.advance(seconds=45)
    assert of(told, "billing")[3:] == [
        ("revoked", "A", epoch, (0, 1), "member expired"),
        ("fenced", "A", epoch, "member expired"),
        ("group epoch", "A", epoch + 1, "member expired"),
    ]


SUBSCRIPTION = encode_subscription(MemberSubscription(frozenset({"orders"})))
PARTS = encode_assignment(frozenset({TopicPartition("orders", 0), TopicPartition("orders", 1)}))


def classic_member(client: Client, group: str, **fields: Any) -> str:
    """A classic group of one, which has both partitions; its member."""
    member = client.ask(apis.JOIN_GROUP, join_request(group, SUBSCRIPTION, **fields), 5).member_id
    joined = client.ask(apis.JOIN_GROUP, join_request(group, SUBSCRIPTION, member_id=member, **fields), 5)
    assert sync(client, group, joined.generation_id, member, PARTS).error_code == ErrorCode.NONE
    return member


def in_a_generation(member: str) -> list[tuple[object, ...]]:
    return [("group epoch", member, 1, "member joined"), ("joined", member, 1), ("assigned", member, 1, (0, 1))]


def test_a_classic_member_joins_and_leaves(client: Client, told: list[Event], group: str) -> None:
    member = classic_member(client, group)
    assert of(told, group) == in_a_generation(member)
    leave(client, group, member)
    assert of(told, group)[3:] == [
        ("revoked", member, 1, (0, 1), "member left"),
        ("left", member, 1, "member left"),
        ("group epoch", member, 2, "member left"),
    ]
    assert {event.protocol for event in told if event.group == group} == {"classic"}


def test_a_silent_classic_member_is_fenced(group: str) -> None:
    told: list[Event] = []
    with telling(told, clock=Clock()) as cluster, Client(cluster.bootstrap_servers) as client:
        member = classic_member(client, group)
        cluster.advance(seconds=30)
    assert of(told, group)[4] == ("fenced", member, 1, "member expired")


def test_events_are_lines_that_can_be_read_again(client: Client, told: list[Event], group: str) -> None:
    two_members(client, group)
    mine = [event for event in told if event.group == group]
    assert [decode_event(encode_event(event)) for event in mine] == mine
    assert all(event.cluster and event.client for event in mine if event.kind.value == "joined")


def test_consumers_of_ours_have_their_story_told(cluster: Cluster, told: list[Event], group: str) -> None:
    with Consumer(bootstrap_servers=cluster.bootstrap_servers, group_id=group, client_id="one") as consumer:
        consumer.subscribe(["orders"])
        eventually("it has all", lambda: not consumer.poll(timeout=0.1) and len(consumer.assignment()) == 2)
    kinds = [(event.kind.value, event.cause) for event in told if event.group == group]
    assert [each for each in kinds if each[0] not in ("target", "committed")] == [
        ("joined", None),
        ("group epoch", "member joined"),
        ("assigned", None),
        ("revoked", "member left"),
        ("left", "member left"),
        ("group epoch", "member left"),
    ]


@pytest.mark.parametrize("way", ["stop", "move"])
def test_over_a_fail_over_nothing_is_told_twice_and_nothing_is_missing(way: str) -> None:
    told: list[Event] = []
    with telling(told, brokers=3) as cluster:
        first = cluster.coordinator_of("billing")
        addresses = dict(enumerate(cluster.bootstrap_servers.split(","), 1))
        with Client(addresses[first]) as client:
            epoch = two_members(client, "billing")
            assert commit(client, "billing", "orders", 7, epoch=epoch) == ErrorCode.NONE
        if way == "stop":
            cluster.stop_node(first)
        else:
            cluster.move_coordinator("billing", first % 3 + 1)
        second = cluster.coordinator_of("billing")
        assert second not in (None, first)
        with Client(addresses[second]) as client:
            eventually("its log is read", lambda: heartbeat(client, "billing", epoch).error_code == ErrorCode.NONE)
            assert commit(client, "billing", "orders", 8, epoch=epoch) == ErrorCode.NONE
            heartbeat(client, "billing", -1, member_id="B")
            heartbeat(client, "billing", epoch)
    assert of(told, "billing")[9:] == [
        ("committed", "A", (0,), 8),
        ("revoked", "B", epoch, (1,), "member left"),
        ("left", "B", epoch, "member left"),
        ("group epoch", "B", epoch + 1, "member left"),
        ("assigned", "A", epoch + 1, (1,)),
    ]
    mine = [event for event in told if event.group == "billing"]
    numbers = [event.seq for event in mine]
    assert numbers == sorted(set(numbers))
    sources = [event.source.split("/")[0] for event in (mine[0], mine[-1])]
    assert sources == [f"coordinator:{node}" for node in (first, second)]


@pytest.mark.parametrize("is_commit", [True, False])
def test_offsets_in_a_transaction_are_told_when_it_is_committed(is_commit: bool) -> None:
    told: list[Event] = []
    with telling(told, brokers=2) as cluster:
        cluster.move_coordinator("movers", 1)
        first, second = (Client(server) for server in cluster.bootstrap_servers.split(","))
        with first, second:
            producer = begin(first, 7)
            assert of(told, "movers") == []
            with cluster.loading_held():  # the marker is written before the next coordinator has read its log
                cluster.move_coordinator("movers", 2)
                end(first, producer, is_commit)
            eventually("its log is read", lambda: is_joined(second, "movers"))
    committed = [event for event in of(told, "movers") if event[0] == "committed"]
    assert committed == ([("committed", (0,), 7)] if is_commit else [])


def test_a_listener_that_fails_hurts_no_group(caplog: pytest.LogCaptureFixture) -> None:
    def fail(event: Event) -> None:
        raise OSError("no space left")

    with Cluster(config=CONFIG, history=fail) as cluster, caplog.at_level(logging.ERROR):
        cluster.create_topic("orders", 2)
        with Client(cluster.bootstrap_servers) as client:
            two_members(client, "billing")
        failures = cluster.history_failures
    assert failures > 5
    assert len([record for record in caplog.records if "the history listener failed" in record.message]) == 1


def test_after_a_restart_nothing_is_told_again(tmp_path: Path) -> None:
    told: list[Event] = []
    for _ in range(2):
        with Cluster(config=CONFIG, history=told.append, data_dir=tmp_path) as cluster:
            if not told:
                cluster.create_topic("orders", 2)
            with Client(cluster.bootstrap_servers) as client:
                eventually("its log is read", partial(is_joined, client, "billing"))
    assert [event[0] for event in of(told, "billing")] == ["joined", "group epoch", "assigned"]
