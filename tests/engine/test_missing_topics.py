"""A topic that is subscribed to by name and does not exist is said to be missing, until it is there."""

from __future__ import annotations

import logging

import pytest

from tests.engine.stage import TOPIC, Stage, poll_until

MISSING = f"subscribed to topic {TOPIC}, which does not exist"
NO_CREATION: dict[str, object] = {"allow_auto_create_topics": False}


@pytest.mark.parametrize("protocol", ["consumer", "classic"])
def test_it_is_said_once_and_a_problem_until_it_is_there(
    stage: Stage, protocol: str, caplog: pytest.LogCaptureFixture
) -> None:
    more = {"group_protocol": protocol, "metadata_max_age_ms": 100, **NO_CREATION}
    with caplog.at_level(logging.INFO, "kafka_nextgen.member"), stage.consumer(**more) as consumer:
        consumer.subscribe([TOPIC])
        poll_until(consumer, lambda: TOPIC in (consumer.health().problem or ""))
        consumer.subscribe([TOPIC, "audit"])
        poll_until(consumer, lambda: "audit, orders" in (consumer.health().problem or ""))
        assert caplog.text.count(MISSING) == 1
        stage.create()
        stage.cluster.create_topic("audit", 1)
        poll_until(consumer, lambda: consumer.health().missing == () and len(consumer.assignment()) == 2)
        assert f"topic {TOPIC} is there by now" in caplog.text


def test_a_topic_that_is_created_for_the_asking_is_not_missing(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    with stage.consumer() as consumer:
        consumer.subscribe([TOPIC])
        poll_until(consumer, lambda: len(consumer.assignment()) == 1)
        assert consumer.health().missing == ()
    assert MISSING not in caplog.text


def test_who_does_not_subscribe_any_more_misses_nothing(stage: Stage) -> None:
    with stage.consumer(**NO_CREATION) as consumer:
        consumer.subscribe([TOPIC])
        poll_until(consumer, lambda: consumer.health().missing == (TOPIC,))
        consumer.unsubscribe()
        assert consumer.health().missing == ()


def test_one_that_was_there_and_is_deleted_is_no_misspelt_name(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    stage.create()
    with stage.consumer(metadata_max_age_ms=50) as consumer:
        consumer.subscribe([TOPIC])
        poll_until(consumer, lambda: bool(consumer.assignment()))
        stage.run(lambda: stage.cluster._broker._cluster.topics.delete(stage.topic()))
        poll_until(consumer, lambda: not consumer.assignment() and not consumer.health().gone)
        assert consumer.health().problem is None
    assert MISSING not in caplog.text
