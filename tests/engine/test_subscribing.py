"""What can be subscribed to, and what a member tells of its rebalances."""

from __future__ import annotations

import re

import pytest

from kafka_nextgen import ConfigError, RebalanceCause, SubscriptionPattern, TopicPartition
from tests.engine.stage import GROUP, TOPIC, Stage, poll_until, tp
from tests.support.clients import admin_client


@pytest.fixture(autouse=True)
def _topic(stage: Stage) -> None:
    stage.create()


def test_a_pattern_is_matched_by_the_coordinator(stage: Stage) -> None:
    with stage.consumer() as consumer:
        consumer.subscribe(SubscriptionPattern("ord.*"))
        poll_until(consumer, lambda: consumer.assignment() == {tp()})


def test_a_compiled_pattern_is_taken_with_a_warning(stage: Stage) -> None:
    with stage.consumer() as consumer:
        with pytest.warns(DeprecationWarning, match="SubscriptionPattern") as warned:
            consumer.subscribe(re.compile(TOPIC))
        assert [warning.filename for warning in warned] == [__file__]
        poll_until(consumer, lambda: consumer.assignment() == {tp()})


def test_flags_of_a_compiled_pattern_are_refused_before_anything_is_sent(stage: Stage) -> None:
    compiled = re.compile(TOPIC, re.IGNORECASE)
    with stage.consumer() as consumer, pytest.warns(DeprecationWarning, match="text"), pytest.raises(ConfigError):
        consumer.subscribe(compiled)


def test_names_take_the_place_of_a_pattern(stage: Stage) -> None:
    with stage.consumer() as consumer:
        consumer.subscribe(SubscriptionPattern("nothing-.*"))
        poll_until(consumer, lambda: bool(consumer.rebalances()))
        assert consumer.assignment() == frozenset()
        consumer.subscribe([TOPIC])
        poll_until(consumer, lambda: consumer.assignment() == {tp()})


def test_a_member_tells_its_rebalances(stage: Stage) -> None:
    with stage.consumer() as consumer:
        assert consumer.rebalances() == ()
        consumer.subscribe([TOPIC])
        poll_until(consumer, lambda: any(rebalance.assigned for rebalance in consumer.rebalances()))
        first = consumer.rebalances()[0]
        assert first.cause is RebalanceCause.JOINED
        assert first.epoch_before == -1
        assert first.epoch_after >= 1


def test_a_rebalance_is_logged_with_its_reason(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "kafka_nextgen.member")
    with stage.subscribed() as consumer:
        poll_until(consumer, lambda: bool(consumer.assignment()) and bool(consumer.rebalances()))
    told = [record.getMessage() for record in caplog.records if ": rebalance " in record.getMessage()]
    assert told[0].startswith(f"group {GROUP}: rebalance 1: joined, epoch -1 -> ")
    assert any("closed" in line and f"revoked {TOPIC}[0]" in line for line in told)


@pytest.mark.parametrize("named", [True, False], ids=["by name", "by a pattern"])
def test_a_topic_that_was_deleted_is_not_created_again_because_it_was_read(stage: Stage, named: bool) -> None:
    admin = admin_client(stage.cluster.bootstrap_servers)
    with stage.consumer(metadata_max_age_ms=20) as consumer:
        consumer.subscribe([TOPIC] if named else SubscriptionPattern(f"{TOPIC}.*"))
        poll_until(consumer, lambda: consumer.assignment() == {tp()})
        admin.delete_topics([TOPIC])[TOPIC].result(timeout=20)
        poll_until(consumer, lambda: not consumer.assignment())
        assert consumer.topics() == ()


@pytest.mark.parametrize("protocol", ["consumer", "classic"])
def test_a_topic_that_is_subscribed_to_by_name_is_created(stage: Stage, protocol: str) -> None:
    with stage.consumer(group_protocol=protocol, group_id="creators", metadata_max_age_ms=20) as consumer:
        consumer.subscribe(["fresh"])
        poll_until(consumer, lambda: consumer.assignment() == {TopicPartition("fresh", 0)})


def test_asking_for_a_topic_does_not_create_it(stage: Stage) -> None:
    with stage.consumer() as consumer:
        assert consumer.partitions_for("nowhere") == ()
        assert consumer.topics() == (TOPIC,)


def test_topics_are_described_by_name_and_those_that_are_not_there_are_left_out(stage: Stage) -> None:
    with stage.consumer() as consumer:
        described = consumer.describe_topics([TOPIC, "missing"])
        assert list(described) == [TOPIC]
        assert described[TOPIC].partitions == tuple(range(len(described[TOPIC].partitions))) != ()
        assert described[TOPIC].topic_id is not None
        assert consumer.describe_topics()[TOPIC] == described[TOPIC]


def test_a_topic_is_described_by_a_name_that_it_can_have(stage: Stage) -> None:
    with stage.consumer() as consumer:
        with pytest.raises(TypeError, match=r"describe_topics\(\) takes a collection"):
            consumer.describe_topics(TOPIC)
        with pytest.raises(ValueError, match=r"describe_topics\(\): there can be no topic"):
            consumer.describe_topics(["a b"])


def test_names_may_come_from_what_can_be_gone_through_once(stage: Stage) -> None:
    with stage.consumer() as consumer:
        consumer.subscribe(name for name in [TOPIC])  # type: ignore[arg-type]
        poll_until(consumer, lambda: consumer.assignment() == {tp()})
