"""The blocking consumer: ``Consumer``."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator, Mapping
from types import FrameType, TracebackType

from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.engine.application.arguments import ToAssign, Topics, checked_seconds
from kafka_nextgen.engine.application.base_consumer import check_max_records
from kafka_nextgen.engine.application.blocking_calls import BlockingCalls
from kafka_nextgen.engine.application.call_guard import CallGuard, CallTracker, is_in_thread
from kafka_nextgen.engine.application.iteration import iterate
from kafka_nextgen.engine.application.polling import ITERATION_TIMEOUT_S, Step, WaitForWakeup, leave_steps, poll_steps
from kafka_nextgen.engine.application.rebalance_listener import RebalanceListener, call, refuse_coroutines
from kafka_nextgen.engine.application.records import Records
from kafka_nextgen.engine.application.wakeup import ThreadWakeup
from kafka_nextgen.engine.futures import LONGEST_SLEEP_S, is_outcome, wait_for_result
from kafka_nextgen.engine.mailbox import PendingCallback
from kafka_nextgen.errors import ConcurrentUseError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.processing import RunsHandlers
from kafka_nextgen.types import LeaveMode, Record

__all__ = ["Consumer"]

logger = logger_of("kafka_nextgen.consumer")


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
        self._wakeup = ThreadWakeup()
        self._listener: RebalanceListener | None = None
        self._closers = CallGuard(threading.get_ident, is_in_thread)
        self._is_closed = False
        super().__init__(parsed, self._wakeup, threading.get_ident, is_in_thread, CallTracker())

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
        except Exception:  # the error that ended the block must be raised
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
            wait_for_result(self._core.subscribe(topics, listener is not None))
            self._listener = listener

    def assign(self, partitions: ToAssign, timeout: float | None = None) -> None:
        """Read exactly ``partitions``, without joining a group; replaces an earlier assignment, and [] ends it.

        Partitions that stay keep their position, and stay paused. Those that come begin at the offset committed for
        ``group.id`` or, without one, by ``auto.offset.reset``. What is given up is committed first with auto-commit,
        as far as it was handed over before the last ``poll``, within ``timeout`` seconds. A partition that does not
        exist is waited for; the log and ``health().problem`` name it.

        Given a mapping, ``{partition: OffsetRange(start, end)}``, reads these offsets and no others: each partition
        begins at ``start``, also if it was assigned before, and is not fetched beyond ``end``. When all is read, loops
        end, and ``poll`` returns at once; ``finished()`` tells of each partition. What is not written yet is waited
        for. What is not there, or not any more, is raised by ``poll``: OffsetOutOfRangeError, LogTruncationError or
        UnknownTopicError. None in place of a range is a partition without an end. (``docs/reading.md``, "Ranges")

        Raises MisuseError after ``subscribe``, TypeError or ValueError for what can't be a partition or a range.
        """
        with self._use_alone("assign"):
            limit_s = self._limit_s(timeout)
            wait_for_result(self._core.assign(partitions, limit_s), limit_s)

    def unsubscribe(self, timeout: float | None = None) -> None:
        """Give all partitions up (``on_partitions_revoked``) and leave the group; nothing is committed.

        The consumer stays a client of its brokers. So the leave waits while its coordinator throttles this client
        (KIP-219), ten seconds at most, where ``close`` does not.

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
        core = self._core
        while True:
            with self._use_alone("poll"):
                self._walk(poll_steps(core, checked_seconds(timeout)))
                offer = core.find(max_records)
                records = core.records(offer)
            # No call from here on. Until now a signal handler may have polled or sought.
            if core.fetches.offer is offer:
                offer.is_taken = True
                return records

    def batches(self, max_records: int | None = None) -> Iterator[Records]:
        """Hand over records in batches; ``max_records`` bounds each (``max.poll.records``).

        For ever, unless ranges were assigned, and all of them are read.
        """
        while True:
            records = self.poll(ITERATION_TIMEOUT_S, max_records)
            if records._slices:  # noqa: SLF001  (no call: a signal handler could lose what was handed over)
                yield records
            elif self._core.fetches.is_all_finished():
                return

    def __iter__(self) -> Iterator[Record]:
        """Hand over record by record. Asking for the next one says that the last one is processed.

        For ever, unless ranges were assigned, and all of them are read.

        Raises what ``poll`` raises, and DeserializationError, each time anew until you ``seek`` past that record or
        ``on.deserialization.error`` says otherwise.
        """
        return iterate(self._next_run)

    def __next__(self) -> Record:
        while True:
            for record in self._core.cursor.records:
                return record  # taking it is the last step
            self._next_run()

    def _next_run(self) -> Iterator[Record]:
        """Poll and start the next run, which may be empty. Raises StopIteration at the end of all ranges."""
        with self._use_alone("__next__"):
            self._walk(poll_steps(self._core, ITERATION_TIMEOUT_S))
            if self._core.fetches.is_all_finished():
                raise StopIteration
            return self._core.look()

    # ---- the end

    def close(self, timeout: float = 30.0, leave: LeaveMode | str = LeaveMode.DEFAULT) -> None:
        """Commit (with auto-commit), give the partitions up, leave the group and stop, within ``timeout`` seconds.

        May be called from any thread, more than once: only the first call closes, others wait for it. One under way in
        another thread ends with MisuseError; ConcurrentUseError says that it had to be cut short, and the consumer is
        closed all the same. ``leave`` is "default" (a static member leaves for a while), "remain" or "leave"
        (KIP-1092), anything else a ValueError. Raises what a callback raised, after everything else is done, and
        RequestTimeoutError if the consumer's own thread is stuck. In a process forked off, does nothing.

        If no broker can be reached, a commit of what is not committed yet is tried for most of ``timeout``, also of a
        position that ``auto.offset.reset=latest`` chose: without it the next owner would begin later and skip records.
        One second is for a commit that changes nothing: all is committed, or nothing was read since the committed
        offset or the earliest one was looked up. The leave looks for its coordinator for three seconds. Without a leave
        others get the partitions when the member's session ends.

        By the classic protocol nothing can be committed between a JoinGroup and the assignment after it. What a
        cooperative member has kept until then is lost (``on_partitions_lost``), as it is with Kafka's own consumer, and
        its next owner reads on from the last commit.

        From inside another call of this thread, that is from a signal handler or a callback, it returns at once. The
        call it was made in then closes the consumer and ends with MisuseError: a ``commit`` when it is through, or
        after half of ``timeout``, all others as soon as they can. What is in hand does not count as processed.

        If a signal handler raises out of a call, also out of ``close``, the next ``close`` closes the consumer.
        """
        self._close(checked_seconds(timeout), LeaveMode(leave), all_is_processed=True)

    def _close(self, timeout: float, mode: LeaveMode, all_is_processed: bool) -> None:
        if self._calls.is_inside:
            self._close_later(timeout, mode)
            return
        with self._calls:
            self._core.begin_closing(all_is_processed)
            self._close_now(timeout, mode)

    def _close_later(self, timeout: float, mode: LeaveMode) -> None:
        """Have the call that this is made in close the consumer at its end."""
        begins = self._core.begin_closing(all_is_processed=False)
        if begins or not (self._is_closed or self._closers.is_held or self._calls.has_wish):
            deadline = time.monotonic() + timeout
            self._calls.when_out(lambda: self._close_now(max(0.0, deadline - time.monotonic()), mode))
            self._core.engine.cancel_pending(timeout / 2)

    def _close_now(self, timeout: float, mode: LeaveMode) -> bool:
        """Close the consumer, or wait until another thread has; whether this call has closed it."""
        deadline = time.monotonic() + timeout
        while not (self._is_closed or self._core.engine.thread.is_foreign):
            if self._closers.try_enter("close", sys._getframe()):  # noqa: SLF001
                try:
                    with self._calls:
                        self._close_within(timeout, mode)
                finally:
                    self._closers.leave(sys._getframe())  # noqa: SLF001
                return True
            if time.monotonic() >= deadline:
                break
            time.sleep(0.001)
        return False

    def _close_within(self, timeout: float, mode: LeaveMode) -> None:
        """Leave and stop. If a signal handler raises, the next close does the rest."""
        deadline = time.monotonic() + timeout
        errors: list[BaseException] = []
        is_alone = self._take_over(sys._getframe(), deadline - timeout / 2)  # noqa: SLF001
        try:
            if not self._core.engine.thread.has_ended:  # an earlier close was interrupted after that
                self._leave(mode, deadline - time.monotonic(), is_alone, errors)
            self._core.engine.stop(deadline - time.monotonic())
            self._is_closed = True
        finally:
            self._guard.leave(sys._getframe())  # noqa: SLF001
        _raise_first(errors)

    def _take_over(self, frame: FrameType, deadline: float) -> bool:
        """Enter as the one caller until ``frame`` ends; False if another thread's call does not end in time."""
        while not self._guard.try_enter("close", frame):
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.001)
        return True

    def _leave(self, mode: LeaveMode, timeout_s: float, is_alone: bool, errors: list[BaseException]) -> None:
        if is_alone:
            self._core.finish_reading()
        leaving = self._core.engine.leave(mode, timeout_s)
        try:
            if is_alone:
                self._walk(leave_steps(self._core, leaving, timeout_s), errors)
            else:  # the other thread runs callbacks
                wait_for_result(leaving, timeout_s)
                errors.append(ConcurrentUseError("close() did not wait any longer for another thread's call to end"))
        except Exception as error:
            if not is_outcome(error, leaving):
                raise  # by a signal handler
            errors.append(error)

    # ---- taking steps

    def _walk(self, steps: Iterator[Step], errors: list[BaseException] | None = None) -> None:
        """Carry out the steps; errors of callbacks are raised at once or, if given, appended to ``errors``."""
        for step in steps:
            if isinstance(step, WaitForWakeup):
                self._wakeup.wait(step.seen, min(step.timeout_s, LONGEST_SLEEP_S))
            elif isinstance(step, PendingCallback):
                self._run_callback(step, errors)
            else:
                wait_for_result(step)

    def _run_callback(self, callback: PendingCallback, errors: list[BaseException] | None) -> None:
        """Run a callback, unless it has run already and an exception kept its end from being reported."""
        failure: BaseException | None = None
        core = self._core
        ended = core.ended
        if ended is None:
            try:
                call(self._listener, callback, core)
            except BaseException as error:  # any error is reported to the member
                failure = error
            ended = core.ended = callback, failure  # no call between the end of the callback and this
        wait_for_result(core.tell_end(ended))
        core.callback_reported(ended)
        failure = ended[1]
        if failure is not None and errors is None:
            raise failure
        if failure is not None and errors is not None:
            errors.append(failure)


def _raise_first(errors: list[BaseException]) -> None:
    if errors:
        raise errors[0]
