"""A commit for what does not exist fails soon, and one for what is only new does not."""

from __future__ import annotations

import asyncio

import pytest

from kafka_nextgen import AsyncConsumer, CommitFailedError, TopicPartition
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.requests.cluster_image import LOOKS
from kafka_nextgen.wire.apis import METADATA, OFFSET_COMMIT
from tests.engine.stage import GROUP, TOPIC, Stage, tp
from tests.support.waiting import GUARD_S, eventually

MISSING = TopicPartition("ordres", 0)


@pytest.mark.parametrize("missing", [MISSING, TopicPartition(TOPIC, 7)], ids=["no such topic", "no such partition"])
def test_a_commit_for_what_does_not_exist_fails_long_before_its_timeout(stage: Stage, missing: TopicPartition) -> None:
    stage.create()
    looked = stage.watch(METADATA)
    with stage.consumer() as consumer:
        before = len(looked)
        with pytest.raises(CommitFailedError, match="check the topic's name") as raised:
            consumer.commit({tp(): 3, missing: 5}, timeout=GUARD_S)
        assert raised.value.failed == {missing: "UNKNOWN_TOPIC_OR_PARTITION"}
        assert len(looked) - before <= 5, "three lookups of the topic, and what a first contact takes"
        assert raised.value.group == GROUP
    assert stage.committed() == {0: 3}
    assert missing.topic == TOPIC or consumer_topics(stage) == (TOPIC,), "nor is it created"


def consumer_topics(stage: Stage) -> tuple[str, ...]:
    with stage.consumer() as consumer:
        return consumer.topics()


def test_a_commit_for_a_topic_that_the_coordinator_does_not_know_yet_is_retried(stage: Stage) -> None:
    stage.create()
    original, looked = stage.original(OFFSET_COMMIT), stage.watch(METADATA)
    stage.refuse_commits(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    with stage.consumer() as consumer:
        commit = consumer.commit_async({tp(): 3})
        eventually("more lookups than a missing topic gets", lambda: len(looked) > 2 * LOOKS)
        stage.handle(OFFSET_COMMIT, original)
        commit.result(GUARD_S)
    assert stage.committed() == {0: 3}


def test_a_commit_for_a_topic_that_no_broker_knows_yet_is_retried_too(stage: Stage) -> None:
    asked: list[object] = []
    original = stage.original(OFFSET_COMMIT)

    async def create_before_the_second(*question: object) -> object:
        asked.append(question)
        if len(asked) == 2:
            stage.cluster._broker.create_topic(MISSING.topic, 1)
        return await original(*question)

    stage.handle(OFFSET_COMMIT, create_before_the_second)
    with stage.consumer() as consumer:
        consumer.commit({MISSING: 5}, timeout=GUARD_S)
    assert (len(asked), stage.committed()) == (2, {0: 5})


def test_the_async_consumer_fails_as_soon(stage: Stage) -> None:
    async def commit() -> None:
        async with AsyncConsumer(stage.config()) as consumer:
            with pytest.raises(CommitFailedError, match="UNKNOWN_TOPIC_OR_PARTITION"):
                await consumer.commit({MISSING: 5}, timeout=GUARD_S)

    stage.create()
    asyncio.run(commit())
