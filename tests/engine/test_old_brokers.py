"""A coordinator that has version 0 of ConsumerGroupHeartbeat only (before Kafka 4.0): it makes the member ids, and
knows no patterns, so that members match them.
"""

from __future__ import annotations

import asyncio
import threading
import warnings
from collections.abc import Awaitable, Sequence

import pytest
from attrs import evolve

from kafka_nextgen import BrokerError, Consumer, GroupProtocol, SubscriptionPattern, TopicPartition
from kafka_nextgen.testing.broker.refusal import CloseConnectionError
from kafka_nextgen.wire.apis import CONSUMER_GROUP_HEARTBEAT, FIND_COORDINATOR, METADATA
from kafka_nextgen.wire.messages import ConsumerGroupHeartbeatRequest, MetadataRequest
from tests.engine.stage import TOPIC, Hears, Stage, poll_for, poll_until, read, tp
from tests.support.clients import admin_client

SOON: dict[str, object] = {"metadata_max_age_ms": 50}


class OldBroker:
    """Keeps the heartbeats that came."""

    def __init__(self, stage: Stage) -> None:
        self.heard: list[ConsumerGroupHeartbeatRequest] = []
        self._handle = stage.original(CONSUMER_GROUP_HEARTBEAT)
        stage.handle(evolve(CONSUMER_GROUP_HEARTBEAT, max_version=0), self._answer)

    def _answer(self, request: ConsumerGroupHeartbeatRequest, context: object) -> Awaitable[object]:
        self.heard.append(request)
        return self._handle(request, context)

    def joins(self) -> list[str]:
        """The member ids of those who joined."""
        return [request.member_id for request in self.heard if request.member_epoch == 0]

    def subscriptions(self) -> list[Sequence[str]]:
        """What was subscribed to, one after the other."""
        said = [request.subscribed_topic_names for request in self.heard]
        return [names for number, names in enumerate(said) if names is not None and names not in said[:number]]

    def hears_more(self, consumer: Consumer) -> None:
        beats = len(self.heard)
        poll_until(consumer, lambda: len(self.heard) > beats + 3)


@pytest.fixture
def old(stage: Stage) -> OldBroker:
    stage.create(records=10)
    return OldBroker(stage)


def matching(stage: Stage, pattern: str = "orders.*", **more: object) -> Consumer:
    consumer = stage.consumer(**more)
    consumer.subscribe(SubscriptionPattern(pattern))
    return consumer


def has(consumer: Consumer, *topics: str) -> None:
    poll_until(consumer, lambda: {partition.topic for partition in consumer.assignment()} == set(topics))


# ---- ids


def test_a_member_takes_the_id_that_the_coordinator_makes_and_keeps_it_when_it_has_to_join_again(
    stage: Stage, old: OldBroker
) -> None:
    hears = Hears()
    with stage.subscribed(hears) as consumer:
        read(consumer, 10)
        consumer.commit()
        assert stage.committed() == {0: 10}
        given = consumer.group_metadata().member_id
        stage.fence(consumer)
        poll_until(consumer, lambda: hears.calls.count("assigned orders[0]") == 2)
        assert consumer.group_metadata().member_id == given
    assert old.joins() == ["", given]
    assert {request.member_id for request in old.heard} == {"", given}


# ---- patterns


def test_a_pattern_is_matched_by_the_member(stage: Stage, old: OldBroker, caplog: pytest.LogCaptureFixture) -> None:
    stage.cluster.create_topic("audit")
    with matching(stage, "ord.*", group_protocol="auto") as consumer:
        read(consumer, 10)
        assert consumer.assignment() == {tp()}
        assert consumer.group_protocol is GroupProtocol.CONSUMER
    assert old.subscriptions() == [(TOPIC,)]
    assert {request.subscribed_topic_regex for request in old.heard} == {None}
    (said,) = [record.getMessage() for record in caplog.records if "matches pattern" in record.getMessage()]
    assert "'ord.*'" in said
    assert "every 300 s" in said


def test_topics_that_come_and_go_are_noticed(stage: Stage, old: OldBroker) -> None:
    admin = admin_client(stage.cluster.bootstrap_servers)
    with matching(stage, **SOON) as consumer:
        has(consumer, TOPIC)
        stage.cluster.create_topic("orders-eu")
        has(consumer, TOPIC, "orders-eu")
        admin.delete_topics(["orders-eu"])["orders-eu"].result(timeout=120)
        has(consumer, TOPIC)
        gone = (TopicPartition("orders-eu", 0),)
        poll_until(consumer, lambda: any(rebalance.revoked == gone for rebalance in consumer.rebalances()))
        reasons = [rebalance.reason for rebalance in consumer.rebalances()]
        assert any(reason.endswith("the pattern orders.* matched orders, orders-eu") for reason in reasons)
    assert old.subscriptions() == [(TOPIC,), (TOPIC, "orders-eu")]


def test_a_pattern_that_matches_nothing_yet_is_a_subscription(stage: Stage, old: OldBroker) -> None:
    with matching(stage, "later", **SOON) as consumer:
        poll_until(consumer, lambda: bool(consumer.rebalances()))
        assert consumer.assignment() == frozenset()
        stage.cluster.create_topic("later")
        has(consumer, "later")
    assert old.subscriptions() == [(), ("later",)]


def test_a_look_up_that_fails_is_repeated(stage: Stage, old: OldBroker) -> None:
    answer, to_fail = stage.original(METADATA), [1, 2, 3]

    async def fail_at_first(request: MetadataRequest, context: object) -> object:
        if request.topics is None and to_fail:
            to_fail.pop()
            raise CloseConnectionError("out of order")
        return await answer(request, context)

    stage.handle(METADATA, fail_at_first)
    with matching(stage) as consumer:
        read(consumer, 10)
    assert to_fail == []
    assert old.subscriptions() == [(TOPIC,)]


def test_names_end_the_matching(stage: Stage, old: OldBroker) -> None:
    stage.cluster.create_topic("audit")
    with matching(stage, **SOON) as consumer:
        has(consumer, TOPIC)
        consumer.subscribe(["audit"])
        stage.cluster.create_topic("orders-eu")
        has(consumer, "audit")
        old.hears_more(consumer)
    assert old.subscriptions() == [(TOPIC,), ("audit",)]


def test_a_heartbeat_from_before_another_subscription_matches_nothing_any_more(stage: Stage, old: OldBroker) -> None:
    stage.cluster.create_topic("audit")
    find, asked, answered = stage.original(FIND_COORDINATOR), threading.Event(), threading.Event()

    async def answer_late(request: object, context: object) -> object:
        asked.set()
        await asyncio.to_thread(answered.wait)
        return await find(request, context)

    stage.handle(FIND_COORDINATOR, answer_late)
    with matching(stage) as consumer:
        poll_until(consumer, asked.is_set)
        consumer.subscribe(["audit"])
        answered.set()
        has(consumer, "audit")
        old.hears_more(consumer)
    assert old.subscriptions() == [("audit",)]


def test_unsubscribing_ends_it_too_and_the_pattern_may_come_back(stage: Stage, old: OldBroker) -> None:
    with matching(stage, **SOON) as consumer:
        has(consumer, TOPIC)
        consumer.unsubscribe()
        stage.cluster.create_topic("orders-eu")
        beats = len(old.heard)
        assert consumer.partitions_for("orders-eu") == (0,)
        assert len(old.heard) == beats, "it stays out"
        consumer.subscribe(SubscriptionPattern("orders.*"))
        has(consumer, TOPIC, "orders-eu")


def test_a_pattern_that_nobody_here_can_read_is_an_error_for_good(stage: Stage, old: OldBroker) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the same
        consumer = matching(stage, "orders(")
    with consumer, pytest.raises(BrokerError, match=r"version 1, Apache Kafka 4.0.*can't be tried here"):
        poll_for(consumer)
