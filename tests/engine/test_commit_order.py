"""Commits of a partition keep their order, whoever waits for them, and whatever is repeated meanwhile."""

from __future__ import annotations

import asyncio
import threading

import pytest

from kafka_nextgen import AsyncConsumer, Consumer, OffsetAndMetadata, TopicPartition
from kafka_nextgen.bridge import offset_commit
from kafka_nextgen.broker.context import Context
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.responses import OffsetsCommitted
from kafka_nextgen.wire.apis import OFFSET_COMMIT
from kafka_nextgen.wire.messages import OffsetCommitRequest
from tests.engine.stage import Stage, read, tp


class Coordinator:
    """The coordinator, busy until it is ready; ``seen`` is what it was asked to commit for partition 0."""

    def __init__(self, stage: Stage) -> None:
        self.seen: list[int] = []
        self.asked, self.is_ready = threading.Event(), False
        self._commit = stage.original(OFFSET_COMMIT)
        stage.handle(OFFSET_COMMIT, self.commit)

    async def commit(self, request: OffsetCommitRequest, context: Context) -> object:
        directory = context.cluster.directory()
        offsets = offset_commit.from_request(request, directory).offsets
        self.seen += [offsets[tp()].offset] if tp() in offsets else []
        self.asked.set()
        if self.is_ready:
            return await self._commit(request, context)
        busy = OffsetsCommitted(dict.fromkeys(offsets, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS))
        return offset_commit.to_response(request, directory, busy)


@pytest.fixture
def coordinator(stage: Stage) -> Coordinator:
    stage.create(records=10)
    return Coordinator(stage)


def reader(stage: Stage) -> Consumer:
    consumer = stage.consumer()
    consumer.subscribe(["orders"])
    read(consumer, 10)
    return consumer


def at(offset: int) -> dict[TopicPartition, OffsetAndMetadata]:
    return {tp(): OffsetAndMetadata(offset)}


def test_the_repetition_of_an_earlier_commit_does_not_set_a_later_one_back(
    stage: Stage, coordinator: Coordinator
) -> None:
    with reader(stage) as consumer:
        earlier = consumer.commit_async(at(3))
        assert coordinator.asked.wait(10)
        coordinator.is_ready = True
        consumer.commit(at(7))
        assert earlier.result(10) is None
    assert stage.committed() == {0: 7}
    assert coordinator.seen == sorted(coordinator.seen)


def test_commits_that_nobody_waited_for_end_in_the_order_they_were_asked_for(
    stage: Stage, coordinator: Coordinator
) -> None:
    ended: list[int] = []
    coordinator.is_ready = True
    with reader(stage) as consumer:
        for offset in range(1, 10):
            consumer.commit_async(at(offset)).add_done_callback(lambda _, offset=offset: ended.append(offset))
    assert ended == [*range(1, 10)]
    assert stage.committed() == {0: 9}
    assert coordinator.seen == sorted(coordinator.seen)


def test_awaiting_makes_no_difference(stage: Stage, coordinator: Coordinator) -> None:
    async def commit() -> None:
        async with AsyncConsumer(**stage.config()) as consumer:
            await consumer.subscribe(["orders"])
            while not await consumer.poll(timeout=0.1):
                pass
            earlier = consumer.commit_async(at(3))
            await asyncio.to_thread(coordinator.asked.wait, 10)
            coordinator.is_ready = True
            await consumer.commit(at(7))
            await earlier

    asyncio.run(commit())
    assert stage.committed() == {0: 7}


def test_a_cancelled_commit_does_not_keep_a_later_one_waiting(stage: Stage, coordinator: Coordinator) -> None:
    with reader(stage) as consumer:
        earlier = consumer.commit_async(at(3))
        assert coordinator.asked.wait(10)
        earlier.cancel()
        coordinator.is_ready = True
        consumer.commit(at(7))
    assert stage.committed() == {0: 7}
    assert coordinator.seen.count(7) == 1
