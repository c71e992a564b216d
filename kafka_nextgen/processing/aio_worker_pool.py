"""The tasks of ``AsyncConsumer.run``: one for each record in progress, started as soon as its lane is free."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Collection
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING

from kafka_nextgen import clocks
from kafka_nextgen.engine.application.deserializers import Deserializers
from kafka_nextgen.engine.application.deserializing_ahead import Ahead
from kafka_nextgen.errors import MisuseError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.processing.work import FailureOutcome, Work, format_tickets
from kafka_nextgen.text import describe_error
from kafka_nextgen.transport.waiting import Timer, wait_for_event

if TYPE_CHECKING:
    from kafka_nextgen.engine.application.records import Records
    from kafka_nextgen.engine.observability.hooks import HookList
    from kafka_nextgen.processing.arguments import AsyncDeadLetter, AsyncHandler
    from kafka_nextgen.processing.committing import PendingCommit
    from kafka_nextgen.processing.consumers import AsyncConsumerToRun
    from kafka_nextgen.processing.lane_scheduler import Task
    from kafka_nextgen.types import Record, TopicPartition

__all__ = ["AsyncWorkerPool", "watched_async"]

logger = logger_of("kafka_nextgen.processing")


def watched_async(handler: AsyncHandler, hooks: HookList) -> AsyncHandler:
    """Wrap the handler in the consumer's ``processing`` hooks, which stay active until its result has been awaited."""

    async def handle(record: Record) -> None:
        with hooks.processing(record):
            await _finish(handler(record))

    return lambda record: handle(record) if hooks else handler(record)


class AsyncWorkerPool:
    """Executes ``work`` on the event loop that created the pool."""

    def __init__(
        self, work: Work, consumer: AsyncConsumerToRun, handler: AsyncHandler, dead_letter: AsyncDeadLetter | None
    ) -> None:
        self._work = work
        self._handler = watched_async(handler, consumer.hooks)
        self._dead_letter = dead_letter
        self._deserializers = Deserializers.of(consumer.config)
        self._ahead = Ahead.of(consumer.config)
        self._jobs: set[asyncio.Task[None]] = set()
        self._timer = Timer(self._start_ready_tasks)
        self._has_ended = asyncio.Event()
        self.lock = nullcontext()  # no lock needed: all calls are on one event loop
        self._is_shut_down = False

    # ---- for the polling task

    def start(self) -> None:
        """Do nothing: tasks start when records are added."""

    def add(self, records: Records) -> None:
        """Add records to the work."""
        self._work.add(records.raw())
        self._start_ready_tasks()

    async def wait_until_drained(self, partitions: Collection[TopicPartition] | None, timeout_s: float) -> None:
        """Wait up to ``timeout_s`` seconds for the tasks in progress in these partitions, or in all."""
        deadline = clocks.monotonic() + timeout_s
        while not self._work.is_drained(partitions):
            left_s = deadline - clocks.monotonic()
            if left_s <= 0:
                left = format_tickets(self._work.at_work(partitions))
                logger.warning("timed out waiting for records in progress, which are not committed: %s", left)
                return
            self._has_ended.clear()
            await wait_for_event(self._has_ended, left_s)

    async def shut_down(self) -> None:
        """Start no more tasks, and cancel those in progress."""
        self._is_shut_down = True
        self._timer.set(None)
        for job in self._jobs:
            job.cancel()
        await asyncio.gather(*self._jobs, return_exceptions=True)

    async def wait_for(self, commit: PendingCommit, timeout_s: float) -> None:
        """Wait up to ``timeout_s`` seconds for a commit."""
        assert isinstance(commit, asyncio.Future)
        await asyncio.wait([commit], timeout=timeout_s)

    async def let_handlers_run(self) -> None:
        """Yield to the handlers, because a poll that finds records does not."""
        await asyncio.sleep(0)

    # ---- executing tasks

    def _start_ready_tasks(self) -> None:
        if self._is_shut_down:
            return
        now = clocks.monotonic()
        while (task := self._work.take(now)) is not None:
            try:
                job = asyncio.ensure_future(self._do(task))
                self._jobs.add(job)
                job.add_done_callback(partial(self._job_ended, task))
            except BaseException as error:  # raised by a signal handler: nothing else would report this task's end
                self._work.worker_failed(task, error)
                raise
        self._timer.set(self._work.deadline())

    def _job_ended(self, task: Task, job: asyncio.Task[None]) -> None:
        self._jobs.discard(job)
        error = self._unreported_error(task, job)
        if error is not None:
            self._work.worker_failed(task, error)
        self._has_ended.set()
        self._start_ready_tasks()

    def _unreported_error(self, task: Task, job: asyncio.Task[None]) -> BaseException | None:
        """Return the error of a job that did not report to ``work``; a job cancelled before it started can't report."""
        if job.cancelled():
            return None if self._is_shut_down else _cancelled("handler", task)
        return job.exception()

    async def _do(self, task: Task) -> None:
        try:
            record = await self._deserialized(task.record)
            if record is not None:
                await _finish(self._handler(record))
        except Exception as error:
            await self._failed(task, error)
        except asyncio.CancelledError:
            if self._is_shut_down:
                raise
            await self._failed(task, _cancelled("handler", task))
        else:
            self._work.finished(task)

    async def _deserialized(self, record: Record) -> Record | None:
        if self._ahead is not None:
            return await self._ahead.apply(record)
        return self._deserializers.apply(record)

    async def _failed(self, task: Task, error: Exception) -> None:
        outcome = self._work.failed(task, error, clocks.monotonic())
        logger.warning("%s: %s; %s", format_tickets([task.ticket]), describe_error(error), outcome.value)
        if outcome is not FailureOutcome.DEAD_LETTER:
            return
        assert self._dead_letter is not None, "no dead letter callable"
        try:
            await _finish(self._dead_letter(task.record, error))
        except Exception as refused:
            self._work.failed_for_good(task, refused)
        except asyncio.CancelledError:
            if self._is_shut_down:
                raise
            self._work.failed_for_good(task, _cancelled("dead letter callable", task))
        else:
            self._work.finished(task)


async def _finish(outcome: object) -> None:
    if inspect.isawaitable(outcome):
        await outcome


def _cancelled(what: str, task: Task) -> MisuseError:
    return MisuseError(f"{format_tickets([task.ticket])}: the {what} was cancelled, but not by run()")
