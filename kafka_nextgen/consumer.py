"""The blocking consumer: ``Consumer``."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from datetime import timedelta
from functools import partial
from pathlib import Path
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from kafka_nextgen import clocks
from kafka_nextgen.engine.application.arguments import ToAssign, Topics, checked_partitions, checked_seconds
from kafka_nextgen.engine.application.base_consumer import check_max_records
from kafka_nextgen.engine.application.blocking_calls import BlockingCalls
from kafka_nextgen.engine.application.call_guard import CallGuard, CallTracker, is_in_thread, this_frame
from kafka_nextgen.engine.application.deserializers import refuse_async
from kafka_nextgen.engine.application.getting_one import one_steps
from kafka_nextgen.engine.application.iteration import iterate
from kafka_nextgen.engine.application.listener_functions import RebalanceFunction, listener_of
from kafka_nextgen.engine.application.polling import (
    Step,
    WaitForWakeup,
    begin_run,
    leave_steps,
    poll_steps,
)
from kafka_nextgen.engine.application.rebalance_listener import RebalanceListener, call, refuse_coroutines
from kafka_nextgen.engine.application.value_formats import Formats
from kafka_nextgen.engine.application.wakeup import thread_wakeup
from kafka_nextgen.engine.mailbox import PendingCallback
from kafka_nextgen.errors import ConcurrentUseError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.processing import RunsHandlers, RunsTransactions
from kafka_nextgen.transport.futures import LONGEST_SLEEP_S, is_outcome, wait_for_result
from kafka_nextgen.transport.turned_clock import clock_of
from kafka_nextgen.types import KeyT, LeaveMode, Record, TopicPartition, ValueT

if TYPE_CHECKING:
    from typing_extensions import Unpack  # type checkers know it, even if not installed

    from kafka_nextgen.config import ConsumerConfig
    from kafka_nextgen.config.settings import ConsumerSettings
    from kafka_nextgen.engine.application.records import Records
    from kafka_nextgen.engine.application.value_columns import OnError
    from kafka_nextgen.properties.deserializer_forms import DeserializerOf
    from kafka_nextgen.values import ValueFormat

__all__ = ["Consumer"]

K = TypeVar("K")
V = TypeVar("V")

logger = logger_of("kafka_nextgen.consumer")


class Consumer(BlockingCalls, RunsHandlers[KeyT, ValueT], RunsTransactions[KeyT, ValueT], Generic[KeyT, ValueT]):
    """Reads topics as a member of a consumer group, or assigned partitions without a group.

    Takes the configuration as a mapping with Kafka's names, or as keyword arguments in snake_case. Raises ConfigError
    if it is invalid. Timeouts of methods are in seconds; None means ``default.api.timeout.ms``. Only one thread at a
    time may call methods (ConcurrentUseError), except ``close``.

        with Consumer({"bootstrap.servers": "localhost:9092", "group.id": "billing"}) as consumer:
            consumer.subscribe(["orders"])
            for record in consumer:
                ...

    If an error ends the ``with`` block, auto-commit excludes the records being processed. A consumer that is garbage
    collected without ``close`` causes a ResourceWarning and ends as if it had crashed: it commits nothing, and its
    member stays in the group until its session times out.
    """

    @overload
    def __init__(
        self: Consumer[bytes, bytes],
        config: None = None,
        *,
        key_deserializer: None = None,
        value_deserializer: None = None,
        **settings: Unpack[ConsumerSettings],
    ) -> None: ...

    @overload
    def __init__(
        self: Consumer[bytes, V],
        config: None = None,
        *,
        key_deserializer: None = None,
        value_deserializer: DeserializerOf[V],
        **settings: Unpack[ConsumerSettings],
    ) -> None: ...

    @overload
    def __init__(
        self: Consumer[K, bytes],
        config: None = None,
        *,
        key_deserializer: DeserializerOf[K],
        value_deserializer: None = None,
        **settings: Unpack[ConsumerSettings],
    ) -> None: ...

    @overload
    def __init__(
        self: Consumer[K, V],
        config: Mapping[str, object] | ConsumerConfig | None = None,
        *,
        key_deserializer: DeserializerOf[K],
        value_deserializer: DeserializerOf[V],
        **settings: Unpack[ConsumerSettings],
    ) -> None: ...

    @overload
    def __init__(
        self: Consumer[Any, V],
        config: Mapping[str, object] | ConsumerConfig,
        *,
        key_deserializer: None = None,
        value_deserializer: DeserializerOf[V],
        **settings: Unpack[ConsumerSettings],
    ) -> None: ...

    @overload
    def __init__(
        self: Consumer[K, Any],
        config: Mapping[str, object] | ConsumerConfig,
        *,
        key_deserializer: DeserializerOf[K],
        value_deserializer: None = None,
        **settings: Unpack[ConsumerSettings],
    ) -> None: ...

    @overload
    def __init__(
        self: Consumer[Any, Any],
        config: Mapping[str, object] | ConsumerConfig,
        *,
        key_deserializer: None = None,
        value_deserializer: None = None,
        **settings: Unpack[ConsumerSettings],
    ) -> None: ...

    def __init__(self, config: Mapping[str, object] | ConsumerConfig | None = None, **settings: Any) -> None:
        from kafka_nextgen.config import ConsumerConfig  # imported here, like the other parts of a consumer

        parsed = config if isinstance(config, ConsumerConfig) else ConsumerConfig.parse(config, **settings)
        refuse_async(parsed)
        self._wakeup = thread_wakeup(clock_of(parsed.bootstrap_servers))
        self._listener: RebalanceListener | None = None
        self._closers = CallGuard(threading.get_ident, is_in_thread)
        self._is_closed = False
        super().__init__(parsed, self._wakeup, threading.get_ident, is_in_thread, CallTracker())
        if parsed.history_log_dir is not None and parsed.group_id:
            from kafka_nextgen.event_log import EventLog

            self._attach(partial(EventLog.in_directory, Path(parsed.history_log_dir), parsed.client_id))

    def __enter__(self) -> Consumer[KeyT, ValueT]:
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

    def subscribe(
        self,
        topics: Topics,
        listener: RebalanceListener | None = None,
        *,
        on_assign: RebalanceFunction | None = None,
        on_revoke: RebalanceFunction | None = None,
        on_lost: RebalanceFunction | None = None,
    ) -> None:
        """Read ``topics`` as a member of the group; replaces an earlier subscription.

        ``topics`` are names, or a ``SubscriptionPattern`` for all topics whose whole name matches, including those
        created later. (``re.compile(...)`` works, with a DeprecationWarning.) The consumer joins the group in the
        background, and gets partitions during calls to ``poll``, which notifies ``listener``.

        In place of a listener, ``on_assign``, ``on_revoke`` and ``on_lost`` may be functions with the arguments of its
        methods. Lost partitions are passed to ``on_lost`` only, never to ``on_revoke``, because it is too late to
        commit.

        Raises ConfigError without ``group.id``, MisuseError after ``assign``, TypeError for a string or an invalid
        listener, ValueError for an empty list, and the error that permanently excluded this consumer from its group.
        """
        called = listener_of(listener, on_assign, on_revoke, on_lost)
        refuse_coroutines(called)
        with self._use("subscribe"):
            wait_for_result(self._subscribe(topics, called))
            self._listener = called

    def assign(self, partitions: ToAssign, timeout: float | None = None) -> None:
        """Read exactly ``partitions``, without joining a group; replaces an earlier assignment, and [] ends it.

        Partitions that stay assigned keep their position, and stay paused. New ones start at the committed offset of
        ``group.id`` or, without one, at the offset determined by ``auto.offset.reset``. With auto-commit, the records
        of removed partitions that were returned before the last ``poll`` are committed first, within ``timeout``
        seconds. The consumer waits for a partition that does not exist; the log and ``health().problem`` name it.

        A mapping ``{partition: OffsetRange(start, end)}`` reads exactly these offsets: each partition starts at
        ``start``, even if it was assigned before, and is not fetched beyond ``end``. When all ranges have been read,
        loops end, and ``poll`` returns immediately; ``finished()`` returns the partitions that have been read. The
        consumer waits for offsets that are not written yet. For offsets that don't exist, ``poll`` raises
        OffsetOutOfRangeError, LogTruncationError or UnknownTopicError. None instead of a range means a partition
        without an end. See ``docs/guides/reading.md``, "Ranges".

        Raises MisuseError after ``subscribe``, TypeError or ValueError for an invalid partition or range.
        """
        with self._use_alone("assign"):
            limit_s = self._limit_s(timeout)
            wait_for_result(self._core.assign(partitions, limit_s), limit_s)

    def unsubscribe(self, timeout: float | None = None) -> None:
        """Give up all partitions (``on_partitions_revoked``) and leave the group, without a commit.

        While the coordinator throttles this client (KIP-219), the leave waits for up to 10 seconds; ``close`` does not.

        If a callback raises, its error is raised after everything else is done.
        """
        with self._use_alone("unsubscribe"):
            limit_s, errors = self._limit_s(timeout), list[BaseException]()
            self._walk(leave_steps(self._core, self._core.unsubscribe(limit_s), limit_s), errors)
            _raise_first(errors)

    # ---- reading

    def poll(self, timeout: float | timedelta | None = 1.0, max_records: int | None = None) -> Records[KeyT, ValueT]:
        """Wait up to ``timeout`` seconds for records, and return them; empty if there are none.

        Returns at most ``max_records`` (default: ``max.poll.records``). Rebalance callbacks run in this call, which may
        then take longer. A negative ``timeout`` counts as 0, None and ``math.inf`` wait without a limit, and a
        ``timedelta`` is converted to seconds.

        Raises the error that a callback raised; CorruptRecordError or OffsetOutOfRangeError for a partition (its
        position does not change); NoBrokersError if no broker was reached within ten seconds of the first attempt (the
        log and ``health().problem`` contain the reason immediately); and errors of the coordinator. Every later poll
        raises permanent errors again, such as UnsupportedProtocolError or FencedInstanceError. Raises MisuseError if
        nothing is subscribed or assigned, TypeError or ValueError for an invalid ``timeout``, and ValueError for an
        invalid ``max_records``.
        """
        check_max_records(max_records)
        core, timeout_s = self._core, checked_seconds(timeout)
        deadline = core.now() + timeout_s
        while True:
            run = core.cursor.following
            if run is not None and not core.hooks:
                rows = run.rows
                offered = rows.offer(deadline, max_records or core.config.max_poll_records)
                records: Records[KeyT, ValueT] = run.records_of(offered)
                # Make no function calls from here on: see below.
                if offered and rows.offered is offered:
                    rows.is_taken = 1
                    return records
                if not offered and not rows.is_over:
                    return records
            with self._use_alone("poll"):
                self._walk(poll_steps(core, max(0.0, deadline - core.now()), follows="poll"))
                if core.cursor.is_following:
                    continue
                offer = core.find(max_records)
                records = core.records(offer)
            # Make no function calls from here on. Until now, a signal handler may have called ``poll`` or ``seek``,
            # which replaces the offer.
            if core.fetches.offer is offer:
                offer.is_taken = True
                return records

    @overload
    def getone(self, *partitions: TopicPartition, timeout: None = None) -> Record[KeyT, ValueT]: ...

    @overload
    def getone(self, *partitions: TopicPartition, timeout: float | timedelta) -> Record[KeyT, ValueT] | None: ...

    def getone(
        self, *partitions: TopicPartition, timeout: float | timedelta | None = None
    ) -> Record[KeyT, ValueT] | None:
        """Wait for a record, of these partitions or of any, and return it; None after ``timeout`` seconds.

        The next call marks it as processed, as with ``poll``. Records of other partitions stay buffered meanwhile. In a
        group, the call waits until the member has joined. aiokafka's consumer has the same method.

        Raises the errors of ``poll``, but no errors about other partitions. Raises DeserializationError, also
        in each later call until you ``seek`` past that record, and MisuseError if a partition is not, or no longer,
        assigned, if all of these are paused, or if all ranges are read.
        """
        core, only = self._core, checked_partitions(partitions)
        deadline = core.now() + checked_seconds(timeout)
        while True:
            with self._use_alone("getone"):
                self._walk(one_steps(core, only, deadline - core.now()))
                offer = core.find(1, only)
                record, is_over = next(iter(core.records(offer)), None), not offer.parts
            # Make no function calls from here on, as in ``poll``.
            if core.fetches.offer is offer:
                offer.is_taken = True
                if record is not None or is_over:  # otherwise, ``on.deserialization.error`` leaves it out
                    return record

    def batches(
        self,
        max_records: int | None = None,
        *,
        value: ValueFormat | None = None,
        key: ValueFormat | None = None,
        on_error: OnError = "raise",
    ) -> Iterator[Records[KeyT, ValueT]]:
        """Yield records in batches of at most ``max_records`` (default: ``max.poll.records``).

        With ``value=Avro(...)``, ``Json(...)`` or ``Protobuf(...)``, ``key`` and ``on_error``, each batch has these
        formats: ``to_arrow()``, ``to_polars()``, ``to_pandas()`` and Arrow's PyCapsule interface decode its values to
        columns like ``Records.to_arrow(value=...)``, and raise the same errors.

        Ends only when all assigned ranges have been read, or after ``consumer.timeout.ms``. Raises the same errors as
        ``poll``, TypeError for an argument that is not a format, and ValueError for an invalid ``on_error``.
        """
        check_max_records(max_records)
        return self._batches(max_records, Formats(value, key, on_error))

    def _batches(self, max_records: int | None, formats: Formats) -> Iterator[Records[KeyT, ValueT]]:
        while True:
            records = self.poll(self._idle.wait_s(), max_records)
            if records._slices:  # noqa: SLF001  (no call: a signal handler could lose these records)
                records._formats = formats  # noqa: SLF001
                yield records
                self._idle.note_records()
            elif self._core.fetches.is_all_finished() or self._idle.is_over():
                return

    def __iter__(self) -> Iterator[Record[KeyT, ValueT]]:
        """Yield the records one by one. Requesting the next record marks the previous one as processed.

        Ends only when all assigned ranges have been read, or when everything is read and no record has come for
        ``consumer.timeout.ms``.

        Raises the same errors as ``poll``, and DeserializationError, which is raised again by each call until you
        ``seek`` past that record. ``on.deserialization.error`` changes this.
        """
        return iterate(self._next_run)

    def __next__(self) -> Record[KeyT, ValueT]:
        while True:
            for record in self._core.cursor.records:
                return record  # from here on, a signal handler can't lose this record
            self._next_run()

    def _next_run(self) -> Iterator[Record[KeyT, ValueT]]:
        """Poll and start the next run, which may be empty. Raises StopIteration at the end of a loop."""
        with self._use_alone("__next__"):
            self._walk(poll_steps(self._core, self._idle.wait_s(), follows="__next__"))
            records = begin_run(self._core)
            if records is None or self._ends_idle():
                raise StopIteration
            return records

    # ---- closing

    def close(self, timeout: float = 30.0, leave: LeaveMode | str = LeaveMode.DEFAULT) -> None:
        """Commit (with auto-commit), give up the partitions, leave the group and stop, within ``timeout`` seconds.

        Can be called from any thread, and more than once: only the first call closes, others wait for it. A call in
        another thread then ends with MisuseError. If that call does not end in time, ``close`` closes the consumer
        anyway and raises ConcurrentUseError. ``leave`` is "default" (a static member leaves temporarily), "remain" or
        "leave" (KIP-1092); other values raise ValueError. If a callback raises, its error is raised after everything
        else is done. Raises RequestTimeoutError if the consumer's I/O thread does not stop. Does nothing in a forked
        process.

        If no broker can be reached, ``close`` tries for most of ``timeout`` to commit new positions, including those of
        ``auto.offset.reset=latest``: without a commit, the next owner would start later and skip records. It tries for
        only one second if the commit would change nothing, because everything is committed, or nothing was read since
        the committed or the earliest offset was looked up. Leaving the group includes up to three seconds to find the
        coordinator. If the consumer can't leave, other members get the partitions when the session times out.

        With the classic protocol, no offsets can be committed between a JoinGroup and the next assignment. Partitions
        that a cooperative member keeps until then are lost (``on_partitions_lost``), as with Kafka's consumer, and the
        next owner continues from the last commit.

        If it is called inside another call of the same thread, from a signal handler or a callback, it returns
        immediately. The outer call then closes the consumer and ends with MisuseError: a ``commit`` when it is done, or
        after half of ``timeout``, other calls as soon as possible. Records being processed do not count as processed.

        During interpreter shutdown, for example in a ``__del__``, threads have already stopped: ``close`` logs that it
        can do nothing, and returns. ``atexit`` functions run early enough.

        If a signal handler raises out of a call, including ``close``, the next ``close`` closes the consumer.
        """
        self._close(checked_seconds(timeout), LeaveMode(leave), all_is_processed=True)

    def _close(self, timeout: float, mode: LeaveMode, all_is_processed: bool) -> None:
        if self._calls.is_inside:
            self._close_later(timeout, mode)
            return
        if self._core.engine.is_too_late():
            return
        with self._calls:
            self._core.begin_closing(all_is_processed)
            self._close_now(timeout, mode)

    def _close_later(self, timeout: float, mode: LeaveMode) -> None:
        """Make the outer call close the consumer when it ends."""
        begins = self._core.begin_closing(all_is_processed=False)
        if begins or not (self._is_closed or self._closers.is_held or self._calls.has_deferred):
            deadline = clocks.monotonic() + timeout
            self._calls.when_out(lambda: self._close_now(clocks.seconds_until(deadline), mode))
            self._core.engine.cancel_pending(timeout / 2)

    def _close_now(self, timeout: float, mode: LeaveMode) -> bool:
        """Close the consumer, or wait until another thread has closed it. Returns whether this call closed it."""
        deadline = clocks.monotonic() + timeout
        while not (self._is_closed or self._core.engine.thread.is_foreign):
            if self._closers.try_enter("close", this_frame()):
                try:
                    with self._calls:
                        self._close_within(timeout, mode)
                finally:
                    self._closers.leave(this_frame())
                return True
            if clocks.monotonic() >= deadline:
                break
            time.sleep(0.001)
        return False

    def _close_within(self, timeout: float, mode: LeaveMode) -> None:
        """Leave and stop. If a signal handler raises, the next close continues."""
        deadline = clocks.monotonic() + timeout
        errors: list[BaseException] = []
        is_alone = self._take_over(this_frame(), deadline - timeout / 2)
        try:
            if not self._core.engine.thread.has_ended:  # True if an earlier close was interrupted after this step
                self._leave(mode, deadline - clocks.monotonic(), is_alone, errors)
            self._core.engine.stop(deadline - clocks.monotonic())
            self._is_closed = True
            if is_alone and self._wakeup.sockets is not None:
                self._wakeup.sockets.close()
        finally:
            self._guard.leave(this_frame())
        _raise_first(errors)

    def _take_over(self, frame: FrameType, deadline: float) -> bool:
        """Enter as the only caller until ``frame`` ends; False if another thread's call takes too long."""
        while not self._guard.try_enter("close", frame):
            if clocks.monotonic() >= deadline:
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
                raise  # raised by a signal handler
            errors.append(error)

    # ---- executing steps

    def _walk(self, steps: Iterator[Step], errors: list[BaseException] | None = None) -> None:
        """Execute the steps. Errors of callbacks are appended to ``errors`` or, if it is None, raised immediately."""
        for step in steps:
            if isinstance(step, WaitForWakeup):
                self._wakeup.wait(step.seen, min(step.timeout_s, LONGEST_SLEEP_S))
            elif isinstance(step, PendingCallback):
                self._run_callback(step, errors)
            else:
                wait_for_result(step)

    def _run_callback(self, callback: PendingCallback, errors: list[BaseException] | None) -> None:
        """Run a callback and report its end; if it has already run and only the report failed, only report it."""
        failure: BaseException | None = None
        core, callbacks = self._core, self._core.callbacks
        ended = callbacks.ended
        if ended is None:
            try:
                call(self._listener, callback, core)
            except BaseException as error:  # any error is reported to the member
                failure = error
            # No call since the callback ended: if a signal handler raised in one, the callback would run again.
            ended = callbacks.ended = callback, failure
        wait_for_result(callbacks.report(ended))
        callbacks.note_end_reported(ended)
        failure = ended[1]
        if failure is not None and errors is None:
            raise failure
        if failure is not None and errors is not None:
            errors.append(failure)


def _raise_first(errors: list[BaseException]) -> None:
    if errors:
        raise errors[0]
