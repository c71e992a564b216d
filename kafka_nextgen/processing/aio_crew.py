"""The tasks that work: one for each record that is worked on, begun as soon as its lane is free."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Collection
from functools import partial

from kafka_nextgen.engine.application.deserializers import Deserializers
from kafka_nextgen.engine.application.records import Records
from kafka_nextgen.errors import MisuseError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.processing.arguments import AsyncDeadLetter, AsyncHandler
from kafka_nextgen.processing.dispatch import Task
from kafka_nextgen.processing.work import Fate, Work, format_tickets
from kafka_nextgen.text import told
from kafka_nextgen.transport.deadline import wait_for_event
from kafka_nextgen.transport.timers import Timer
from kafka_nextgen.types import TopicPartition

__all__ = ["AsyncCrew"]

logger = logger_of("kafka_nextgen.processing")


class AsyncCrew:
    """Works on ``work``, on the event loop of whoever made it."""

    def __init__(
        self, work: Work, handler: AsyncHandler, dead_letter: AsyncDeadLetter | None, deserializers: Deserializers
    ) -> None:
        self._work = work
        self._handler = handler
        self._dead_letter = dead_letter
        self._deserializers = deserializers
        self._jobs: set[asyncio.Task[None]] = set()
        self._timer = Timer(self._begin_what_may_be)
        self._has_ended = asyncio.Event()
        self._is_dismissed = False

    # ---- for the task that polls

    def add(self, records: Records) -> None:
        """Hand records over."""
        self._work.add(records.raw())
        self._begin_what_may_be()

    async def wait_until_drained(self, partitions: Collection[TopicPartition] | None, timeout_s: float) -> None:
        """Wait for what was begun, of these partitions or of all, at most ``timeout_s`` seconds."""
        deadline = time.monotonic() + timeout_s
        while not self._work.is_drained(partitions):
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                left = format_tickets(self._work.at_work(partitions))
                logger.warning("not waited for any longer, and not committed: %s", left)
                return
            self._has_ended.clear()
            await wait_for_event(self._has_ended, left_s)

    async def dismiss(self) -> None:
        """Begin nothing any more, and cancel what is still at work."""
        self._is_dismissed = True
        self._timer.set(None)
        for job in self._jobs:
            job.cancel()
        await asyncio.gather(*self._jobs, return_exceptions=True)

    # ---- working

    def _begin_what_may_be(self) -> None:
        if self._is_dismissed:
            return
        now = time.monotonic()
        while (task := self._work.take(now)) is not None:
            try:
                job = asyncio.ensure_future(self._do(task))
                self._jobs.add(job)
                job.add_done_callback(partial(self._job_ended, task))
            except BaseException as error:  # a signal handler's: nobody would tell of the end of this task
                self._work.broke_off(task, error)
                raise
        self._timer.set(self._work.deadline())

    def _job_ended(self, task: Task, job: asyncio.Task[None]) -> None:
        self._jobs.discard(job)
        error = self._error_beside_handler(task, job)
        if error is not None:
            self._work.broke_off(task, error)
        self._has_ended.set()
        self._begin_what_may_be()

    def _error_beside_handler(self, task: Task, job: asyncio.Task[None]) -> BaseException | None:
        """What ended the job without a word to ``work``; a job that is cancelled before it began does nothing."""
        if job.cancelled():
            return None if self._is_dismissed else _cancelled("handler", task)
        return job.exception()

    async def _do(self, task: Task) -> None:
        try:
            record = self._deserializers.apply(task.record)
            if record is not None:
                await _finish(self._handler(record))
        except Exception as error:
            await self._failed(task, error)
        except asyncio.CancelledError:
            if self._is_dismissed:
                raise
            await self._failed(task, _cancelled("handler", task))
        else:
            self._work.finished(task)

    async def _failed(self, task: Task, error: Exception) -> None:
        fate = self._work.failed(task, error, time.monotonic())
        logger.warning("%s: %s; %s", format_tickets([task.ticket]), told(error), fate.value)
        if fate is not Fate.DEAD_LETTER:
            return
        assert self._dead_letter is not None, "a dead letter without anybody to take it"
        try:
            await _finish(self._dead_letter(task.record, error))
        except Exception as refused:
            self._work.failed_for_good(task, refused)
        except asyncio.CancelledError:
            if self._is_dismissed:
                raise
            self._work.failed_for_good(task, _cancelled("dead letter callable", task))
        else:
            self._work.finished(task)


async def _finish(outcome: object) -> None:
    if inspect.isawaitable(outcome):
        await outcome


def _cancelled(what: str, task: Task) -> MisuseError:
    return MisuseError(f"{format_tickets([task.ticket])}: the {what} was cancelled, by somebody else than run()")
