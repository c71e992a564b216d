"""What was committed of a partition counts only while it stays assigned: it may come back with a lower position."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence

from kafka_nextgen import (
    AsyncConsumer,
    AsyncRebalanceConsumer,
    AsyncRebalanceListener,
    OffsetAndMetadata,
    TopicPartition,
)
from kafka_nextgen.broker.context import Context
from kafka_nextgen.wire.apis import OFFSET_COMMIT
from kafka_nextgen.wire.messages import OffsetCommitRequest
from tests.engine.stage import PATIENCE_S, TOPIC, Stage


class HeldAnswers:
    """A coordinator that takes commits at once, but keeps their answers back while ``held``."""

    def __init__(self, stage: Stage) -> None:
        self._commit = stage.original(OFFSET_COMMIT)
        self.held, self.taken = threading.Event(), threading.Event()
        stage.handle(OFFSET_COMMIT, self.commit)

    async def commit(self, request: OffsetCommitRequest, context: Context) -> object:
        answer = await self._commit(request, context)
        if self.held.is_set():
            self.taken.set()
            while self.held.is_set():
                await asyncio.sleep(0.01)
        return answer


class CancelsItsCommit(AsyncRebalanceListener):
    """Commits 8 of what it gives up, and does not wait for the answer."""

    def __init__(self, answers: HeldAnswers) -> None:
        self._answers = answers
        self.given_up: list[TopicPartition] = []

    async def on_partitions_revoked(
        self, consumer: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]
    ) -> None:
        if self.given_up:
            return
        self.given_up += partitions
        self._answers.held.set()
        commit = asyncio.ensure_future(consumer.commit({each: OffsetAndMetadata(8) for each in partitions}))
        await asyncio.to_thread(self._answers.taken.wait, PATIENCE_S)
        commit.cancel()
        await asyncio.gather(commit, return_exceptions=True)


def test_a_commit_answered_after_its_partition_was_given_up_does_not_count_when_that_comes_back(stage: Stage) -> None:
    stage.create(partitions=2, records=10)
    answers = HeldAnswers(stage)
    asyncio.run(asyncio.wait_for(_give_up_and_come_back(stage, answers), PATIENCE_S))
    assert sorted(stage.committed().values()) == [3, 10]


async def _give_up_and_come_back(stage: Stage, answers: HeldAnswers) -> None:
    listener = CancelsItsCommit(answers)
    first = AsyncConsumer(**stage.config(enable_auto_commit=True))
    second = AsyncConsumer(**stage.config())
    async with first:
        await first.subscribe([TOPIC], listener)
        await _poll_until([first], lambda: len(first.assignment()) == 2)
        async with second:
            await second.subscribe([TOPIC])
            await _poll_until([first, second], lambda: len(first.assignment()) == 1)
            answers.held.clear()
            await _poll_until([first, second], lambda: len(second.assignment()) == 1)
            (moved,) = listener.given_up
            await second.commit({moved: OffsetAndMetadata(2)})
        await _poll_until([first], lambda: len(first.assignment()) == 2)
        await first.position(moved)
        await first.seek(moved, 3)


async def _poll_until(consumers: Sequence[AsyncConsumer], is_so: Callable[[], bool]) -> None:
    while not is_so():
        for consumer in consumers:
            await consumer.poll(timeout=0.05)
