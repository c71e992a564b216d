"""The worker threads of ``Consumer.run``: each takes a task, calls the handler and reports the outcome."""

from __future__ import annotations

import threading
from collections.abc import Collection
from concurrent.futures import Future
from typing import TYPE_CHECKING

from kafka_nextgen import clocks
from kafka_nextgen.engine.application.deserializers import Deserializers
from kafka_nextgen.logs import logger_of
from kafka_nextgen.processing.work import FailureOutcome, Work, format_tickets
from kafka_nextgen.text import describe_error
from kafka_nextgen.transport.futures import LONGEST_SLEEP_S, sleep_until_ended

if TYPE_CHECKING:
    from kafka_nextgen.engine.application.records import Records
    from kafka_nextgen.engine.observability.hooks import HookList
    from kafka_nextgen.processing.arguments import DeadLetter, Handler
    from kafka_nextgen.processing.committing import PendingCommit
    from kafka_nextgen.processing.consumers import ConsumerToRun
    from kafka_nextgen.processing.lane_scheduler import Task
    from kafka_nextgen.types import Record, TopicPartition

__all__ = ["WorkerPool", "watched"]

logger = logger_of("kafka_nextgen.processing")


def watched(handler: Handler, hooks: HookList) -> Handler:
    """Wrap the handler in the consumer's ``processing`` hooks, looked up at each call."""

    def handle(record: Record) -> object:
        if not hooks:
            return handler(record)
        with hooks.processing(record):
            return handler(record)

    return handle


class WorkerPool:
    """Shares ``work`` with the polling thread; both hold ``lock`` while they use it.

    The threads are daemons, so a handler that does not return does not keep the process alive.
    """

    def __init__(
        self, work: Work, consumer: ConsumerToRun, handler: Handler, dead_letter: DeadLetter | None, size: int
    ) -> None:
        self._work = work
        self._handler = watched(handler, consumer.hooks)
        self._dead_letter = dead_letter
        self._deserializers = Deserializers.of(consumer.config)
        self.lock = threading.Lock()
        self._has_tasks = threading.Condition(self.lock)
        self._has_ended = threading.Condition(self.lock)
        self._is_shut_down = False
        names = [f"kafka_nextgen worker {number}" for number in range(size)]
        self._threads = [threading.Thread(target=self._run, name=name, daemon=True) for name in names]

    # ---- for the polling thread, which awaits these coroutines without suspending

    def start(self) -> None:
        """Start the threads."""
        for thread in self._threads:
            thread.start()

    def add(self, records: Records) -> None:
        """Add records to the work."""
        with self.lock:
            self._work.add(records.raw())
            self._has_tasks.notify_all()

    async def wait_until_drained(self, partitions: Collection[TopicPartition] | None, timeout_s: float) -> None:
        """Wait up to ``timeout_s`` seconds for the tasks in progress in these partitions, or in all.

        It wakes up periodically: otherwise, a signal that arrives at the wrong moment would only be handled at the end
        of the wait.
        """
        deadline = clocks.monotonic() + timeout_s
        with self.lock:
            while not self._work.is_drained(partitions):
                left_s = deadline - clocks.monotonic()
                if left_s <= 0:
                    break
                self._has_ended.wait(min(left_s, LONGEST_SLEEP_S))
            else:
                return
            left = self._work.at_work(partitions)
        logger.warning("timed out waiting for records in progress, which are not committed: %s", format_tickets(left))

    async def shut_down(self) -> None:
        """End the threads; busy ones end when their handler returns."""
        with self.lock:
            self._is_shut_down = True
            self._has_tasks.notify_all()
            if not self._work.is_idle:
                return
        for thread in filter(threading.Thread.is_alive, self._threads):
            thread.join()

    async def wait_for(self, commit: PendingCommit, timeout_s: float) -> None:
        """Wait up to ``timeout_s`` seconds for a commit."""
        assert isinstance(commit, Future)
        sleep_until_ended(commit, timeout_s)

    async def let_handlers_run(self) -> None:
        """Do nothing: the threads run in parallel."""

    # ---- on the threads

    def _run(self) -> None:
        task: Task | None = None
        try:
            while (task := self._next_task()) is not None:
                self._do(task)
                with self.lock:
                    self._has_tasks.notify()  # a lane may be due for a retry later: an idle thread must wake up for it
                    self._has_ended.notify_all()
        except BaseException as error:  # an error of this thread, not of the handler; run() raises it
            with self.lock:
                self._work.worker_failed(task, error)
                self._has_tasks.notify_all()
                self._has_ended.notify_all()

    def _next_task(self) -> Task | None:
        with self.lock:
            while not self._is_shut_down:
                now = clocks.monotonic()
                task = self._work.take(now)
                if task is not None:
                    return task
                deadline = self._work.deadline()
                self._has_tasks.wait(None if deadline is None else max(0.0, deadline - now))
            return None

    def _do(self, task: Task) -> None:
        try:
            record = self._deserializers.apply(task.record)
            if record is not None:
                self._handler(record)
        except Exception as error:
            self._failed(task, error)
        except BaseException as error:  # sys.exit() in a handler ends the run, not just one thread
            self._failed_for_good(task, error)
        else:
            self._finished(task)

    def _failed(self, task: Task, error: Exception) -> None:
        with self.lock:
            outcome = self._work.failed(task, error, clocks.monotonic())
        logger.warning("%s: %s; %s", format_tickets([task.ticket]), describe_error(error), outcome.value)
        if outcome is not FailureOutcome.DEAD_LETTER:
            return
        assert self._dead_letter is not None, "no dead letter callable"
        try:
            self._dead_letter(task.record, error)
        except BaseException as refused:  # run() raises it
            self._failed_for_good(task, refused)
        else:
            self._finished(task)

    def _failed_for_good(self, task: Task, error: BaseException) -> None:
        with self.lock:
            self._work.failed_for_good(task, error)

    def _finished(self, task: Task) -> None:
        with self.lock:
            self._work.finished(task)
