"""A topic that is subscribed to by name and does not exist is said to be missing, until it is there."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

import pytest

from kafka_nextgen import Consumer, TopicPartition, UnknownTopicError
from tests.engine.stage import TOPIC, Stage, poll_until, tp

MISSING = f"subscribed to topic {TOPIC}, which does not exist"
NO_CREATION: dict[str, object] = {"allow_auto_create_topics": False}


@pytest.mark.parametrize("protocol", ["consumer", "classic"])
def test_it_is_said_once_and_a_problem_until_it_is_there(
    stage: Stage, protocol: str, caplog: pytest.LogCaptureFixture
) -> None:
    more = {"group_protocol": protocol, "metadata_max_age_ms": 100, **NO_CREATION}
    with caplog.at_level(logging.INFO, "kafka_nextgen.member"), stage.subscribed(**more) as consumer:
        poll_until(consumer, lambda: TOPIC in (consumer.health().problem or ""))
        consumer.subscribe([TOPIC, "audit"])
        poll_until(consumer, lambda: "audit, orders" in (consumer.health().problem or ""))
        assert caplog.text.count(MISSING) == 1
        stage.create()
        stage.cluster.create_topic("audit", 1)
        poll_until(consumer, lambda: consumer.health().missing == () and len(consumer.assignment()) == 2)
        assert f"topic {TOPIC} is there by now" in caplog.text


def test_a_topic_that_is_created_for_the_asking_is_not_missing(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    with stage.subscribed() as consumer:
        poll_until(consumer, lambda: len(consumer.assignment()) == 1)
        assert consumer.health().missing == ()
    assert MISSING not in caplog.text


def test_who_does_not_subscribe_any_more_misses_nothing(stage: Stage) -> None:
    with stage.subscribed(**NO_CREATION) as consumer:
        poll_until(consumer, lambda: consumer.health().missing == (TOPIC,))
        consumer.unsubscribe()
        assert consumer.health().missing == ()


def test_one_that_was_there_and_is_deleted_is_no_misspelt_name(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    stage.create()
    with stage.subscribed(metadata_max_age_ms=50) as consumer:
        poll_until(consumer, lambda: bool(consumer.assignment()))
        stage.run(lambda: stage.cluster._broker._cluster.topics.delete(stage.topic()))
        poll_until(consumer, lambda: not consumer.assignment() and not consumer.health().gone)
        assert consumer.health().problem is None
    assert MISSING not in caplog.text


@pytest.mark.parametrize(
    "ask",
    [
        lambda consumer, partition: consumer.beginning_offsets([partition, tp()]),
        lambda consumer, partition: consumer.end_offsets([tp(), partition]),
        lambda consumer, partition: consumer.offsets_for_times({partition: 0, tp(): 0}),
    ],
)
def test_offsets_of_what_is_not_there_are_not_waited_for(
    stage: Stage, ask: Callable[[Consumer, TopicPartition], object]
) -> None:
    stage.create()
    with stage.consumer(default_api_timeout_ms=3_600_000) as consumer:
        with pytest.raises(UnknownTopicError, match=r"ordres\[0\] has no offsets: there is no such topic") as caught:
            ask(consumer, TopicPartition("ordres", 0))
        assert caught.value.partition == TopicPartition("ordres", 0)
        with pytest.raises(UnknownTopicError, match=r"orders\[7\] has no offsets: its topic has no such partition"):
            ask(consumer, tp(7))


def test_offsets_of_a_topic_that_was_deleted_are_not_waited_for(stage: Stage) -> None:
    stage.create(records=10)
    with stage.consumer() as consumer:
        assert consumer.end_offsets([tp()]) == {tp(): 10}
        stage.run(lambda: stage.cluster._broker._cluster.topics.delete(stage.topic()))
        with pytest.raises(UnknownTopicError, match=r"orders\[0\] has no offsets"):
            consumer.end_offsets([tp()])
        assert consumer.end_offsets([]) == {}


def test_offsets_of_a_topic_that_is_about_to_be_there_are_found(stage: Stage) -> None:
    with stage.consumer(retry_backoff_ms=300, retry_backoff_max_ms=300) as consumer:
        stage.run(lambda: asyncio.get_running_loop().call_later(0.1, stage.cluster._broker.create_topic, TOPIC, 1))
        assert consumer.end_offsets([tp()]) == {tp(): 0}
