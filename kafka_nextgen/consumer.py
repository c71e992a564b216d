"""The consumer for applications that wait: ``Consumer``."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractContextManager
from types import TracebackType

from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.engine.application.arguments import Topics, checked_seconds
from kafka_nextgen.engine.application.blocking import BlockingCalls
from kafka_nextgen.engine.application.front import check_max_records
from kafka_nextgen.engine.application.iteration import Refill, iterate
from kafka_nextgen.engine.application.listener import RebalanceListener, call, refuse_coroutines
from kafka_nextgen.engine.application.polling import ITERATION_TIMEOUT_S, Rest, Step, leave_steps, poll_steps
from kafka_nextgen.engine.application.presence import Presence
from kafka_nextgen.engine.application.records import Records
from kafka_nextgen.engine.application.signals import thread_signal
from kafka_nextgen.engine.application.waiting import answer
from kafka_nextgen.engine.mailbox import PendingCallback
from kafka_nextgen.engine.sleeping import LONGEST_SLEEP_S
from kafka_nextgen.errors import ConcurrentUseError
from kafka_nextgen.processing import RunsHandlers
from kafka_nextgen.types import LeaveMode, Record, TopicPartition

__all__ = ["Consumer"]

logger = logging.getLogger("kafka_nextgen.consumer")


class Consumer(BlockingCalls, RunsHandlers):
    """Reads topics as a member of a consumer group, or partitions of its own choice.

    Takes the configuration under Kafka's names, as a mapping, or in snake_case, as keyword arguments; raises
    ConfigError if it can't be used. Timeouts of methods are seconds; None means ``default.api.timeout.ms``. One
    thread at a time may be inside a call (ConcurrentUseError otherwise); ``close`` may come from any thread.

        with Consumer({"bootstrap.servers": "localhost:9092", "group.id": "billing"}) as consumer:
            consumer.subscribe(["orders"])
            for record in consumer:
                ...

    If an error ends the ``with`` block, auto-commit leaves out what was being processed. A consumer that is dropped
    without ``close`` ends with a ResourceWarning, and like a crash: nothing is committed, and its member stays in
    the group until its session ends.
    """

    def __init__(self, config: Mapping[str, object] | ConsumerConfig | None = None, **settings: object) -> None:
        parsed = config if isinstance(config, ConsumerConfig) else ConsumerConfig.parse(config, **settings)
        self._signal = thread_signal()
        self._listener: RebalanceListener | None = None
        self._presence = Presence()
        self._closer: int | None = None  # the thread that closes this consumer, or has closed it
        self._closed = threading.Event()
        super().__init__(parsed, self._signal, threading.get_ident)

    def __enter__(self) -> Consumer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.close()
            return
        try:
            self._close(30.0, LeaveMode.DEFAULT, all_is_processed=False)
        except Exception:  # the error that ended the block is the one to be seen
            logger.exception("closing after an error")

    # ---- subscribing

    def subscribe(self, topics: Topics, listener: RebalanceListener | None = None) -> None:
        """Read ``topics`` as a member of the group; replaces an earlier subscription.

        ``topics`` are names, or a ``SubscriptionPattern``: then all topics whose whole name matches, also those
        created later. (``re.compile(...)`` is taken with a DeprecationWarning.) The group is joined in the
        background; partitions arrive while ``poll`` is called. ``listener`` hears of them.

        Raises ConfigError without ``group.id``, MisuseError after ``assign``, TypeError for a bare string, ValueError
        for no topic, and what put this consumer out of its group for good.
        """
        refuse_coroutines(listener)
        with self._use("subscribe"):
            answer(self._core.subscribe(topics, listener is not None))
            self._listener = listener

    def assign(self, partitions: Collection[TopicPartition], timeout: float | None = None) -> None:
        """Read exactly ``partitions``, without joining a group; replaces an earlier assignment, and [] ends it.

        Partitions that stay keep their position, and stay paused. Those that come begin at the offset committed for
        ``group.id`` or, without one, by ``auto.offset.reset``. What is given up is committed first with auto-commit,
        as far as it was handed over before the last ``poll``, within ``timeout`` seconds. A partition that does not
        exist is waited for; the log and ``health().problem`` name it.

        Raises MisuseError after ``subscribe``, TypeError or ValueError for what can't be a partition.
        """
        with self._use_alone("assign"):
            limit_s = self._limit_s(timeout)
            answer(self._core.assign(partitions, limit_s), limit_s)

    def unsubscribe(self, timeout: float | None = None) -> None:
        """Give all partitions up (``on_partitions_revoked``) and leave the group; nothing is committed.

        Raises what a callback raised, after everything else is done.
        """
        with self._use_alone("unsubscribe"):
            limit_s, errors = self._limit_s(timeout), list[BaseException]()
            self._walk(leave_steps(self._core, self._core.unsubscribe(limit_s), limit_s), errors)
            _raise_first(errors)

    # ---- reading

    def poll(self, timeout: float = 1.0, max_records: int | None = None) -> Records:
        """Wait up to ``timeout`` seconds for records and hand them over; empty if none came.

        At most ``max_records`` (``max.poll.records``). Rebalance callbacks run in here, and may take longer. A
        ``timeout`` that is negative is none, and ``math.inf`` waits as long as it takes, as everywhere.

        Raises what a callback raised; CorruptRecordError or OffsetOutOfRangeError for a partition, whose position
        stays; NoBrokersError if no broker was reached and the first attempt is ten seconds ago (the log and
        ``health().problem`` tell at once); and what the coordinator refuses. If that is for good,
        such as UnsupportedProtocolError or FencedInstanceError, every later poll raises it again. MisuseError says that
        there is nothing to read yet, ValueError that ``timeout`` or ``max_records`` can't be.
        """
        check_max_records(max_records)
        with self._use_alone("poll"):
            self._walk(poll_steps(self._core, checked_seconds(timeout)))
            return self._core.take(max_records)

    def batches(self, max_records: int | None = None) -> Iterator[Records]:
        """Hand over records in batches, for ever; ``max_records`` bounds each (``max.poll.records``)."""
        while True:
            records = self.poll(ITERATION_TIMEOUT_S, max_records)
            if records:
                yield records

    def __iter__(self) -> Iterator[Record]:
        """Hand over record by record, for ever. Asking for the next one says that the last one is processed.

        Raises what ``poll`` raises, and DeserializationError, each time anew until you ``seek`` past that record or
        ``on.deserialization.error`` says otherwise.
        """
        return iterate(self._next_run)

    def __next__(self) -> Record:
        record = next(self._core.cursor.records, None)
        return self._next_run()[0] if record is None else record

    def _next_run(self) -> Refill:
        """The first record of it, and the others."""
        with self._use_alone("__next__"):
            record = None
            while record is None:
                self._walk(poll_steps(self._core, ITERATION_TIMEOUT_S))
                record = self._core.look()
            return record, self._core.cursor.records

    # ---- the end

    def close(self, timeout: float = 30.0, leave: LeaveMode | str = LeaveMode.DEFAULT) -> None:
        """Commit (with auto-commit), give the partitions up, leave the group and stop, within ``timeout`` seconds.

        May be called from any thread, more than once: only the first call closes, others wait for it. One under way in
        another thread ends with MisuseError; ConcurrentUseError says that it had to be cut short, and the consumer is
        closed all the same. ``leave`` is "default" (a static member leaves for a while), "remain" or "leave"
        (KIP-1092), anything else a ValueError. Raises what a callback raised, after everything else is done, and
        RequestTimeoutError if the consumer's own thread is stuck. In a process forked off, does nothing.

        If no broker can be reached, a commit of what is not committed yet is tried for most of ``timeout``, but the
        leave looks for its coordinator for three seconds only. Without a leave others get the partitions when the
        member's session ends.

        By the classic protocol nothing can be committed between a JoinGroup and the assignment after it. What a
        cooperative member has kept until then is lost (``on_partitions_lost``), as it is with Kafka's own consumer, and
        its next owner reads on from the last commit.

        From inside another call of this thread, that is from a signal handler or a callback, it returns at once. The
        call it was made in then closes the consumer and ends with MisuseError: a ``commit`` when it is through, or
        after half of ``timeout``, all others as soon as they can. What is in hand does not count as processed.
        """
        self._close(checked_seconds(timeout), LeaveMode(leave), all_is_processed=True)

    def _close(self, timeout: float, mode: LeaveMode, all_is_processed: bool) -> None:
        interrupts = self._presence.is_inside
        with self._presence:
            begins = self._core.begin_closing(all_is_processed and not interrupts)
            if begins:
                self._closer = threading.get_ident()
            if begins and interrupts:
                deadline = time.monotonic() + timeout
                self._core.engine.call_off(timeout / 2)
                self._presence.when_out(lambda: self._close_now(max(0.0, deadline - time.monotonic()), mode))
            elif begins:
                self._close_now(timeout, mode)
        if not (begins or interrupts or self._closer in (None, threading.get_ident())):
            self._closed.wait(timeout)

    def _close_now(self, timeout: float, mode: LeaveMode) -> None:
        with self._presence:
            self._close_within(timeout, mode)

    def _close_within(self, timeout: float, mode: LeaveMode) -> None:
        deadline = time.monotonic() + timeout
        errors: list[BaseException] = []
        is_alone = False
        try:
            is_alone = self._take_over(deadline - timeout / 2)
            self._leave(mode, deadline - time.monotonic(), is_alone, errors)
        finally:
            self._core.engine.stop(deadline - time.monotonic())
            if is_alone:
                self._guard.leave()
            self._closed.set()
        _raise_first(errors)

    def _take_over(self, deadline: float) -> bool:
        """Become the one caller; False if another thread's call does not end in time."""
        while not self._guard.try_enter("close"):
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.001)
        return True

    def _leave(self, mode: LeaveMode, timeout_s: float, is_alone: bool, errors: list[BaseException]) -> None:
        if is_alone:
            self._core.settle_for_good()
            self._walk(leave_steps(self._core, self._core.engine.leave(mode, timeout_s), timeout_s), errors)
        else:  # callbacks are the other thread's business
            answer(self._core.engine.leave(mode, timeout_s), timeout_s)
            errors.append(ConcurrentUseError("close() did not wait any longer for another thread's call to end"))

    # ---- being inside a call

    def _present(self) -> AbstractContextManager[None]:
        return self._presence

    # ---- taking steps

    def _walk(self, steps: Iterator[Step], errors: list[BaseException] | None = None) -> None:
        """Take the steps; what a callback raises is raised at once, or kept in ``errors`` if there is such a list."""
        for step in steps:
            if isinstance(step, Rest):
                self._signal.wait(step.rings, min(step.at_most_s, LONGEST_SLEEP_S))
            elif isinstance(step, PendingCallback):
                self._run_callback(step, errors)
            else:
                answer(step)

    def _run_callback(self, callback: PendingCallback, errors: list[BaseException] | None) -> None:
        failure: BaseException | None = None
        try:
            call(self._listener, callback, self._core)
        except BaseException as error:  # the member must hear of it, whatever it is
            failure = error
        answer(self._core.callback_finished(callback, failure))
        if failure is not None and errors is None:
            raise failure
        if failure is not None and errors is not None:
            errors.append(failure)


def _raise_first(errors: list[BaseException]) -> None:
    if errors:
        raise errors[0]
