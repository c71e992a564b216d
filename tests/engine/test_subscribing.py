"""What can be subscribed to, what is said of a topic that is missing, and what can be asked of topics."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable

import pytest

from kafka_nextgen import ConfigError, Consumer, SubscriptionPattern, TopicPartition, UnknownTopicError
from kafka_nextgen.wire.apis import METADATA
from kafka_nextgen.wire.messages import MetadataRequest
from tests.engine.stage import TOPIC, Stage, poll_until, tp

BOTH_PROTOCOLS = pytest.mark.parametrize("protocol", ["consumer", "classic"])
MISSING = f"topic {TOPIC} does not exist yet"
NO_CREATION: dict[str, object] = {"allow_auto_create_topics": False}


@pytest.fixture
def created(stage: Stage) -> Stage:
    stage.create()
    return stage


def has_its_partition(consumer: Consumer) -> None:
    poll_until(consumer, lambda: consumer.assignment() == {tp()})


# ---- patterns and names


def test_a_pattern_is_matched_by_the_coordinator_and_names_take_its_place(created: Stage) -> None:
    with created.consumer() as consumer:
        consumer.subscribe(SubscriptionPattern("ord.*"))
        has_its_partition(consumer)
        consumer.subscribe(SubscriptionPattern("nothing-.*"))
        poll_until(consumer, lambda: consumer.assignment() == frozenset())
        consumer.subscribe(name for name in [TOPIC])  # type: ignore[arg-type]  # what can be gone through once
        has_its_partition(consumer)


def test_a_compiled_pattern_is_taken_with_a_warning(created: Stage) -> None:
    with created.consumer() as consumer:
        with pytest.warns(DeprecationWarning, match="SubscriptionPattern") as warned:
            consumer.subscribe(re.compile(TOPIC))
        assert [warning.filename for warning in warned] == [__file__]
        has_its_partition(consumer)


def test_flags_of_a_compiled_pattern_are_refused_before_anything_is_sent(created: Stage) -> None:
    compiled = re.compile(TOPIC, re.IGNORECASE)
    with created.consumer() as consumer, pytest.warns(DeprecationWarning, match="text"), pytest.raises(ConfigError):
        consumer.subscribe(compiled)


# ---- topics that are not there


@pytest.mark.parametrize("topics", [[TOPIC], SubscriptionPattern(f"{TOPIC}.*")], ids=["by name", "by a pattern"])
def test_a_topic_that_was_deleted_is_neither_misspelt_nor_created_again_because_it_was_read(
    created: Stage, topics: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    with created.consumer(metadata_max_age_ms=20) as consumer:
        consumer.subscribe(topics)
        has_its_partition(consumer)
        created.delete_topic()
        poll_until(consumer, lambda: not consumer.assignment() and not consumer.health().gone)
        assert consumer.topics() == ()
        assert consumer.health().problem is None
    assert MISSING not in caplog.text


@BOTH_PROTOCOLS
def test_a_topic_that_is_subscribed_to_by_name_is_created(
    stage: Stage, protocol: str, caplog: pytest.LogCaptureFixture
) -> None:
    with stage.subscribed(group_protocol=protocol, metadata_max_age_ms=20) as consumer:
        has_its_partition(consumer)
        assert consumer.health().missing == ()
    assert MISSING not in caplog.text


@BOTH_PROTOCOLS
def test_one_that_may_not_be_created_is_said_to_be_missing_once_and_a_problem_until_it_is_there(
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
        assert f"topic {TOPIC} exists now" in caplog.text


def test_who_does_not_subscribe_any_more_misses_nothing(stage: Stage) -> None:
    with stage.subscribed(**NO_CREATION) as consumer:
        poll_until(consumer, lambda: consumer.health().missing == (TOPIC,))
        consumer.unsubscribe()
        assert consumer.health().missing == ()


# ---- what is asked of topics


def test_asking_for_a_topic_does_not_create_it(created: Stage) -> None:
    with created.consumer() as consumer:
        assert consumer.partitions_for("nowhere") == ()
        described = consumer.describe_topics([TOPIC, "missing"])
        assert list(described) == [TOPIC]
        assert described[TOPIC].partitions == (0,)
        assert described[TOPIC].topic_id is not None
        assert consumer.describe_topics()[TOPIC] == described[TOPIC]
        assert consumer.topics() == (TOPIC,)


def test_a_topic_is_described_by_a_name_that_it_can_have(stage: Stage) -> None:
    with stage.consumer() as consumer:
        with pytest.raises(TypeError, match=r"describe_topics\(\) takes a collection"):
            consumer.describe_topics(TOPIC)
        with pytest.raises(ValueError, match=r"describe_topics\(\): Topic name is invalid"):
            consumer.describe_topics(["a b"])


@pytest.mark.parametrize(
    "ask",
    [
        lambda consumer, partition: consumer.beginning_offsets([partition, tp()]),
        lambda consumer, partition: consumer.end_offsets([tp(), partition]),
        lambda consumer, partition: consumer.offsets_for_times({partition: 0, tp(): 0}),
    ],
)
def test_offsets_of_what_is_not_there_are_not_waited_for(
    created: Stage, ask: Callable[[Consumer, TopicPartition], object]
) -> None:
    with created.consumer(default_api_timeout_ms=3_600_000) as consumer:
        with pytest.raises(UnknownTopicError, match=r"ordres\[0\] has no offsets: the topic does not exist") as caught:
            ask(consumer, TopicPartition("ordres", 0))
        assert caught.value.partition == TopicPartition("ordres", 0)
        with pytest.raises(
            UnknownTopicError, match=r"orders\[7\] has no offsets: its topic does not have this partition"
        ):
            ask(consumer, tp(7))


def test_offsets_of_a_topic_that_was_deleted_are_not_waited_for(stage: Stage) -> None:
    stage.create(records=10)
    with stage.consumer() as consumer:
        assert consumer.end_offsets([tp()]) == {tp(): 10}
        stage.delete_topic()
        with pytest.raises(UnknownTopicError, match=r"orders\[0\] has no offsets"):
            consumer.end_offsets([tp()])
        assert consumer.end_offsets([]) == {}


def test_offsets_of_a_topic_that_is_about_to_be_there_are_found(stage: Stage) -> None:
    describe = stage.original(METADATA)

    async def describe_and_create(request: MetadataRequest, context: object) -> object:
        answer = await describe(request, context)
        if request.topics:
            stage.handle(METADATA, describe)
            stage.cluster._broker.create_topic(TOPIC, 1)
        return answer

    stage.handle(METADATA, describe_and_create)
    with stage.consumer() as consumer:
        assert consumer.end_offsets([tp()]) == {tp(): 0}
