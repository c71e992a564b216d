"""What is raised in a worker beside its handler ends the run, or counts as a failure of the handler."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Collection
from contextlib import AbstractContextManager, nullcontext
from typing import NoReturn

import pytest

from kafka_nextgen import MisuseError, Record, StopHandle, TopicPartition
from kafka_nextgen.engine.application.records import Records
from kafka_nextgen.processing import AwaitsHandlers
from kafka_nextgen.processing.aio_worker_pool import AsyncWorkerPool
from kafka_nextgen.processing.lane_scheduler import Task
from kafka_nextgen.types import OffsetAndMetadata
from tests.engine.injection import InjectedError, Injection, is_in_a_task
from tests.processing.scripted import Offsets, ScriptedConsumer, records_of
from tests.processing.stage import P0
from tests.support.waiting import GUARD_S

OFFSETS = range(4)
CONFIG: dict[str, object] = {"retry_backoff_ms": 1, "auto_commit_interval_ms": 1}


class Impatient(ScriptedConsumer):
    """Hands over all records, and fails if the run has not ended after a while."""

    def __init__(self) -> None:
        super().__init__(records_of(P0, *OFFSETS), **CONFIG)
        self._deadline = time.monotonic() + GUARD_S

    def poll(self, timeout: float = 1.0, max_records: int | None = None) -> Records:
        assert time.monotonic() < self._deadline, "the run hangs"
        time.sleep(0 if self.script else 0.001)
        return super().poll(timeout, max_records)


class AsyncImpatient(AwaitsHandlers):
    """The same for tasks."""

    def __init__(self) -> None:
        self.blocking = Impatient()
        self.config, self.hooks = self.blocking.config, self.blocking.hooks

    def _topics_to_run(self, topics: Collection[str] | None) -> Collection[str]:
        return topics or ["orders"]

    def assignment(self) -> frozenset[TopicPartition]:
        return self.blocking.assignment()

    def _running(self) -> AbstractContextManager[None]:
        return nullcontext()

    def _positions(self) -> dict[TopicPartition, OffsetAndMetadata]:
        return {}

    async def subscribe(self, topics: Collection[str], listener: object = None) -> None:
        """Nobody calls the listener."""

    async def poll(self, timeout: float = 1.0, max_records: int | None = None) -> Records:
        await asyncio.sleep(0)
        return self.blocking.poll(timeout, max_records)

    async def pause(self, partitions: Collection[TopicPartition]) -> None:
        self.blocking.pause(partitions)

    async def resume(self, partitions: Collection[TopicPartition]) -> None:
        self.blocking.resume(partitions)

    async def seek(self, partition: TopicPartition, offset: int) -> None:
        self.blocking.seek(partition, offset)

    async def commit(self, offsets: Offsets, timeout: float) -> None:
        self.blocking.commit(offsets, timeout)

    def commit_async(self, offsets: Offsets) -> asyncio.Future[None]:
        return asyncio.wrap_future(self.blocking.commit_async(offsets))


class Handles:
    """A handler: from the end of its first call on it is raised in its worker, at one place, until it has them all."""

    def __init__(self, injection: Injection) -> None:
        self.injection = injection
        self.handled: list[int] = []
        self.stop = StopHandle()

    def __call__(self, record: Record) -> None:
        self.handled.append(record.offset)
        if record.offset == OFFSETS[-1]:
            sys.setprofile(None)
            self.stop.stop()
        elif len(self.handled) == 1:
            sys.setprofile(self.injection.look)

    def check(self, consumer: ScriptedConsumer, error: InjectedError | None) -> None:
        """Nothing is committed that was not handled, and if ``run`` has raised nothing, all was."""
        committed = max((offsets[P0] for offsets in consumer.commits), default=0)
        assert set(range(committed)) <= set(self.handled), self.injection.where
        assert sorted(set(self.handled)) == list(range(len(set(self.handled)))), self.injection.where
        assert error is not None or committed == len(OFFSETS), self.injection.where


def test_what_is_raised_in_a_thread_beside_its_handler_neither_hangs_the_run_nor_is_committed() -> None:
    place, handler = 1, Handles(Injection(1))
    while place == 1 or handler.injection.where is not None:
        consumer, handler, raised = Impatient(), Handles(Injection(place)), None
        try:
            consumer.run(handler, concurrency=1, stop=handler.stop, drain_timeout_s=0.5)
        except InjectedError as error:
            raised = error
        handler.check(consumer, raised)
        place += 2
    assert place > 40


def test_what_is_raised_in_a_task_beside_its_handler_neither_hangs_the_run_nor_is_committed() -> None:
    async def scene(handler: Handles) -> None:
        consumer, raised = AsyncImpatient(), None
        own = asyncio.current_task()
        handler.injection.is_in_reach = lambda: is_in_a_task() and asyncio.current_task() is not own
        try:
            await consumer.run(handler, concurrency=1, stop=handler.stop, drain_timeout_s=0.5)  # type: ignore[misc]
        except InjectedError as error:
            raised = error
        finally:
            sys.setprofile(None)
        handler.check(consumer.blocking, raised)

    place, handler = 1, Handles(Injection(1))
    while place == 1 or handler.injection.where is not None:
        handler = Handles(Injection(place))
        asyncio.run(scene(handler))
        place += 1
    assert place > 20


def test_a_handler_that_is_cancelled_before_it_began_ends_the_run() -> None:
    async def scene() -> None:
        consumer, own = AsyncImpatient(), asyncio.current_task()

        def cancel_all() -> None:
            for task in asyncio.all_tasks() - {own}:
                task.cancel()

        def cancel_the_next(record: Record) -> None:
            loop.call_soon(loop.call_soon, cancel_all)  # behind the end of this one, and before the next one begins

        loop = asyncio.get_running_loop()
        await consumer.run(cancel_the_next, concurrency=1, drain_timeout_s=0.5)  # type: ignore[misc]

    with pytest.raises(MisuseError, match="was cancelled, but not by run"):
        asyncio.run(scene())


def test_a_task_that_could_not_be_begun_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def scene() -> None:
        def refuse(self: AsyncWorkerPool, task: Task) -> NoReturn:
            raise InjectedError

        monkeypatch.setattr(AsyncWorkerPool, "_do", refuse)
        consumer = AsyncImpatient()
        with pytest.raises(InjectedError):
            await consumer.run(print, concurrency=1, drain_timeout_s=0.2)  # type: ignore[misc]
        assert consumer.blocking.sought == {P0: 0}

    asyncio.run(scene())
    assert "timed out waiting for records" not in caplog.text
