"""Commits of a partition keep their order, whoever waits for them, and whatever is repeated meanwhile."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from concurrent.futures import Future, wait

import pytest

from kafka_nextgen import (
    AsyncConsumer,
    Consumer,
    OffsetAndMetadata,
    RebalanceConsumer,
    RebalanceListener,
    TopicPartition,
)
from kafka_nextgen.bridge import offset_commit
from kafka_nextgen.broker.context import Context
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.responses import OffsetsCommitted
from kafka_nextgen.wire.apis import CONSUMER_GROUP_HEARTBEAT, FIND_COORDINATOR, OFFSET_COMMIT
from kafka_nextgen.wire.messages import ConsumerGroupHeartbeatResponse, OffsetCommitRequest
from tests.engine.stage import Stage, no_coordinator, poll_until, read, tp


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


class Movement:
    """The coordinator moves, and can't be found while that ``is_on``."""

    def __init__(self, stage: Stage) -> None:
        self.is_on, self._looked = threading.Event(), threading.Event()
        self._find, self._heartbeat = stage.original(FIND_COORDINATOR), stage.original(CONSUMER_GROUP_HEARTBEAT)
        stage.handle(FIND_COORDINATOR, self.find_coordinator)
        stage.handle(CONSUMER_GROUP_HEARTBEAT, self.heartbeat)

    def begin(self) -> None:
        self.is_on.set()
        self.wait_for_a_look()

    def wait_for_a_look(self) -> None:
        self._looked.clear()
        assert self._looked.wait(10)

    async def heartbeat(self, request: object, context: Context) -> object:
        if self.is_on.is_set():
            return ConsumerGroupHeartbeatResponse(error_code=ErrorCode.NOT_COORDINATOR)
        return await self._heartbeat(request, context)

    async def find_coordinator(self, request: object, context: Context) -> object:
        if not self.is_on.is_set():
            return await self._find(request, context)
        self._looked.set()
        return await no_coordinator()


class WaitsFor(RebalanceListener):
    """Gives partitions up when these have ended."""

    def __init__(self, *commits: Future[None]) -> None:
        self._commits = commits

    def on_partitions_revoked(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        wait(self._commits)


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


def test_a_commit_that_looks_for_the_coordinator_is_not_overtaken(stage: Stage) -> None:
    """The later one can't wait, for the partition is given up, while the earlier one pauses before it looks again."""
    stage.create(records=10)
    coordinator, movement = Coordinator(stage), Movement(stage)
    coordinator.is_ready = True
    with stage.consumer(retry_backoff_ms=1000, retry_backoff_max_ms=1000) as consumer:
        consumer.subscribe(["orders"])
        read(consumer, 10)
        movement.begin()
        earlier = consumer.commit_async(at(5))
        movement.wait_for_a_look()
        later = consumer.commit_async(at(9))
        movement.is_on.clear()
        consumer.committed([tp()])  # finds the coordinator
        stage.cluster.create_topic("others")
        consumer.subscribe(["others"], WaitsFor(earlier, later))
        poll_until(consumer, lambda: tp() not in consumer.assignment())
    assert coordinator.seen == [5, 9]
    assert stage.committed() == {0: 9}
    assert [earlier.exception(0), later.exception(0)] == [None, None]
