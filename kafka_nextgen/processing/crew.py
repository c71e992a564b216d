"""The threads that work: each takes the next task, does it, says what became of it, and takes the next."""

from __future__ import annotations

import threading
import time
from collections.abc import Collection

from kafka_nextgen.engine.application.deserializers import Deserializers
from kafka_nextgen.engine.application.records import Records
from kafka_nextgen.logs import logger_of
from kafka_nextgen.processing.arguments import DeadLetter, Handler
from kafka_nextgen.processing.dispatch import Task
from kafka_nextgen.processing.work import Fate, Work, format_tickets
from kafka_nextgen.text import told
from kafka_nextgen.types import TopicPartition

__all__ = ["Crew"]

logger = logger_of("kafka_nextgen.processing")


class Crew:
    """Shares ``work`` with the thread that polls; both hold ``lock`` while they touch it.

    The threads are daemons: one whose handler does not return keeps no process alive.
    """

    def __init__(
        self, work: Work, handler: Handler, dead_letter: DeadLetter | None, deserializers: Deserializers, size: int
    ) -> None:
        self._work = work
        self._handler = handler
        self._dead_letter = dead_letter
        self._deserializers = deserializers
        self.lock = threading.Lock()
        self._has_tasks = threading.Condition(self.lock)
        self._has_ended = threading.Condition(self.lock)
        self._is_dismissed = False
        names = [f"kafka_nextgen worker {number}" for number in range(size)]
        self._threads = [threading.Thread(target=self._run, name=name, daemon=True) for name in names]

    # ---- for the thread that polls

    def start(self) -> None:
        """Let the threads begin."""
        for thread in self._threads:
            thread.start()

    def add(self, records: Records) -> None:
        """Hand records over."""
        with self.lock:
            self._work.add(records.raw())
            self._has_tasks.notify_all()

    def wait_until_drained(self, partitions: Collection[TopicPartition] | None, timeout_s: float) -> None:
        """Wait for what was begun, of these partitions or of all, at most ``timeout_s`` seconds."""
        with self.lock:
            if self._has_ended.wait_for(lambda: self._work.is_drained(partitions), timeout_s):
                return
            left = self._work.at_work(partitions)
        logger.warning("not waited for any longer, and not committed: %s", format_tickets(left))

    def dismiss(self) -> None:
        """End the threads; those still at work end when their handler returns."""
        with self.lock:
            self._is_dismissed = True
            self._has_tasks.notify_all()
            if not self._work.is_idle:
                return
        for thread in filter(threading.Thread.is_alive, self._threads):
            thread.join()

    # ---- on the threads

    def _run(self) -> None:
        task: Task | None = None
        try:
            while (task := self._next_task()) is not None:
                self._do(task)
                with self.lock:
                    self._has_tasks.notify()  # perhaps a lane that rests: one of those who wait has to know how long
                    self._has_ended.notify_all()
        except BaseException as error:  # no handler's, but of this thread itself: run() raises it
            with self.lock:
                self._work.broke_off(task, error)
                self._has_tasks.notify_all()
                self._has_ended.notify_all()

    def _next_task(self) -> Task | None:
        with self.lock:
            while not self._is_dismissed:
                now = time.monotonic()
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
        except BaseException as error:  # sys.exit() in a handler ends the run, not just one of its threads
            self._failed_for_good(task, error)
        else:
            self._finished(task)

    def _failed(self, task: Task, error: Exception) -> None:
        with self.lock:
            fate = self._work.failed(task, error, time.monotonic())
        logger.warning("%s: %s; %s", format_tickets([task.ticket]), told(error), fate.value)
        if fate is not Fate.DEAD_LETTER:
            return
        assert self._dead_letter is not None, "a dead letter without anybody to take it"
        try:
            self._dead_letter(task.record, error)
        except BaseException as refused:  # whatever it is, run() raises it
            self._failed_for_good(task, refused)
        else:
            self._finished(task)

    def _failed_for_good(self, task: Task, error: BaseException) -> None:
        with self.lock:
            self._work.failed_for_good(task, error)

    def _finished(self, task: Task) -> None:
        with self.lock:
            self._work.finished(task)
