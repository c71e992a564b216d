"""The consumer for asyncio: ``AsyncConsumer``."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from datetime import timedelta
from functools import partial
from pathlib import Path
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from kafka_nextgen import clocks
from kafka_nextgen.engine.application.arguments import ToAssign, Topics, checked_partitions, checked_seconds
from kafka_nextgen.engine.application.async_calls import AsyncCalls
from kafka_nextgen.engine.application.base_consumer import check_max_records
from kafka_nextgen.engine.application.call_guard import NoCallTracker, is_in_task, this_frame
from kafka_nextgen.engine.application.deserializing_ahead import MOST_AHEAD, Ahead
from kafka_nextgen.engine.application.getting_one import one_steps
from kafka_nextgen.engine.application.iteration import iterate_async
from kafka_nextgen.engine.application.listener_functions import (
    AsyncRebalanceFunction,
    RebalanceFunction,
    listener_of,
)
from kafka_nextgen.engine.application.polling import (
    Step,
    WaitForWakeup,
    begin_run,
    leave_steps,
    poll_steps,
)
from kafka_nextgen.engine.application.rebalance_listener import (
    AsyncRebalanceListener,
    RebalanceListener,
    call_async,
    is_in_callback,
)
from kafka_nextgen.engine.application.value_formats import Formats
from kafka_nextgen.engine.application.wakeup import async_wakeup
from kafka_nextgen.engine.mailbox import CallbackKind, PendingCallback
from kafka_nextgen.errors import ConcurrentUseError, MisuseError, RequestTimeoutError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.processing import AwaitsHandlers
from kafka_nextgen.text import describe_error
from kafka_nextgen.transport.futures import await_completion, await_result, is_outcome
from kafka_nextgen.transport.turned_clock import clock_of
from kafka_nextgen.types import KeyT, LeaveMode, Record, TopicPartition, ValueT

if TYPE_CHECKING:
    from typing_extensions import Unpack  # type checkers know it, even if not installed

    from kafka_nextgen.config import ConsumerConfig
    from kafka_nextgen.config.settings import ConsumerSettings
    from kafka_nextgen.engine.application.records import Records
    from kafka_nextgen.engine.application.value_columns import OnError
    from kafka_nextgen.engine.reading.locked_fetches import PollOffer
    from kafka_nextgen.properties.deserializer_forms import AsyncDeserializerOf, DeserializerOf
    from kafka_nextgen.values import ValueFormat

__all__ = ["AsyncConsumer"]

K = TypeVar("K")
V = TypeVar("V")

logger = logger_of("kafka_nextgen.consumer")

#: If an event loop's time differs by more than this (seconds), its clock is not real: a test has frozen or replaced it.
OTHER_CLOCK_S = 1.0


class AsyncConsumer(AsyncCalls, AwaitsHandlers[KeyT, ValueT], Generic[KeyT, ValueT]):
    """Reads topics as a member of a consumer group, or assigned partitions without a group, with asyncio.

    It has the configuration, methods and errors of ``Consumer``, but methods that block there are awaited here.
    Heartbeats and fetches run on a separate thread, so a busy event loop does not lose partitions. Only one task at a
    time may call methods (ConcurrentUseError). A cancelled call loses no records: a position advances when ``poll``
    returns, and a callback whose poll was cancelled continues until the next poll waits for it.

        async with AsyncConsumer({"bootstrap.servers": "localhost:9092", "group.id": "billing"}) as consumer:
            await consumer.subscribe(["orders"])
            async for record in consumer:
                ...

    If an error ends the ``async with`` block, auto-commit excludes the records being processed.
    """

    @overload
    def __init__(
        self: AsyncConsumer[bytes, bytes],
        config: None = None,
        *,
        key_deserializer: None = None,
        value_deserializer: None = None,
        **settings: Unpack[ConsumerSettings],
    ) -> None: ...

    @overload
    def __init__(
        self: AsyncConsumer[bytes, V],
        config: None = None,
        *,
        key_deserializer: None = None,
        value_deserializer: AsyncDeserializerOf[V],
        **settings: Unpack[ConsumerSettings],
    ) -> None: ...

    @overload
    def __init__(
        self: AsyncConsumer[bytes, V],
        config: None = None,
        *,
        key_deserializer: None = None,
        value_deserializer: DeserializerOf[V],
        **settings: Unpack[ConsumerSettings],
    ) -> None: ...

    @overload
    def __init__(
        self: AsyncConsumer[K, bytes],
        config: None = None,
        *,
        key_deserializer: DeserializerOf[K],
        value_deserializer: None = None,
        **settings: Unpack[ConsumerSettings],
    ) -> None: ...

    @overload
    def __init__(
        self: AsyncConsumer[K, V],
        config: Mapping[str, object] | ConsumerConfig | None = None,
        *,
        key_deserializer: AsyncDeserializerOf[K],
        value_deserializer: AsyncDeserializerOf[V],
        **settings: Unpack[ConsumerSettings],
    ) -> None: ...

    @overload
    def __init__(
        self: AsyncConsumer[K, V],
        config: Mapping[str, object] | ConsumerConfig | None = None,
        *,
        key_deserializer: DeserializerOf[K],
        value_deserializer: AsyncDeserializerOf[V],
        **settings: Unpack[ConsumerSettings],
    ) -> None: ...

    @overload
    def __init__(
        self: AsyncConsumer[K, V],
        config: Mapping[str, object] | ConsumerConfig | None = None,
        *,
        key_deserializer: DeserializerOf[K],
        value_deserializer: DeserializerOf[V],
        **settings: Unpack[ConsumerSettings],
    ) -> None: ...

    @overload
    def __init__(
        self: AsyncConsumer[Any, V],
        config: Mapping[str, object] | ConsumerConfig,
        *,
        key_deserializer: None = None,
        value_deserializer: AsyncDeserializerOf[V],
        **settings: Unpack[ConsumerSettings],
    ) -> None: ...

    @overload
    def __init__(
        self: AsyncConsumer[Any, V],
        config: Mapping[str, object] | ConsumerConfig,
        *,
        key_deserializer: None = None,
        value_deserializer: DeserializerOf[V],
        **settings: Unpack[ConsumerSettings],
    ) -> None: ...

    @overload
    def __init__(
        self: AsyncConsumer[K, Any],
        config: Mapping[str, object] | ConsumerConfig,
        *,
        key_deserializer: DeserializerOf[K],
        value_deserializer: None = None,
        **settings: Unpack[ConsumerSettings],
    ) -> None: ...

    @overload
    def __init__(
        self: AsyncConsumer[Any, Any],
        config: Mapping[str, object] | ConsumerConfig,
        *,
        key_deserializer: None = None,
        value_deserializer: None = None,
        **settings: Unpack[ConsumerSettings],
    ) -> None: ...

    def __init__(self, config: Mapping[str, object] | ConsumerConfig | None = None, **settings: Any) -> None:
        from kafka_nextgen.config import ConsumerConfig  # imported here, like what a consumer consists of

        parsed = config if isinstance(config, ConsumerConfig) else ConsumerConfig.parse(config, **settings)
        self._wakeup = async_wakeup(clock_of(parsed.bootstrap_servers))
        self._listener: RebalanceListener | AsyncRebalanceListener | None = None
        self._callback: asyncio.Task[None] | None = None
        self._closing: asyncio.Task[None] | None = None
        self._is_closed = False
        self._deferred_close: Callable[[], Coroutine[object, object, None]] | None = None
        super().__init__(parsed, self._wakeup, asyncio.current_task, is_in_task, NoCallTracker())
        self._ahead = Ahead.of(parsed)
        if self._ahead is not None:
            self._core.use(None)
        if parsed.history_log_dir is not None and parsed.group_id:
            from kafka_nextgen.event_log import EventLog

            self._attach(partial(EventLog.in_directory, Path(parsed.history_log_dir), parsed.client_id))

    async def __aenter__(self) -> AsyncConsumer[KeyT, ValueT]:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            await self.close()
            return
        try:
            await self._close(30.0, LeaveMode.DEFAULT, all_is_processed=False)
        except Exception:  # the error that ended the block must be raised
            logger.exception("closing after an error")

    # ---- subscribing

    async def subscribe(
        self,
        topics: Topics,
        listener: RebalanceListener | AsyncRebalanceListener | None = None,
        *,
        on_assign: RebalanceFunction | AsyncRebalanceFunction | None = None,
        on_revoke: RebalanceFunction | AsyncRebalanceFunction | None = None,
        on_lost: RebalanceFunction | AsyncRebalanceFunction | None = None,
    ) -> None:
        """Read ``topics`` (names, or a ``SubscriptionPattern``) as a member; replaces an earlier subscription.

        The methods of ``listener`` can be ``async``. Other methods block the event loop, and get a
        ``RebalanceConsumer``, whose ``commit`` is not awaited. The same applies to ``on_assign``, ``on_revoke`` and
        ``on_lost``, functions in place of a listener. Raises the same errors as ``Consumer.subscribe``.
        """
        called = listener_of(listener, on_assign, on_revoke, on_lost)
        with self._use("subscribe"):
            await await_result(self._subscribe(topics, called))
            self._listener = called

    async def assign(self, partitions: ToAssign, timeout: float | None = None) -> None:
        """Read exactly ``partitions``, or ranges of them, without joining a group; replaces an earlier assignment.

        A cancelled call has assigned either all partitions or none. Otherwise, this is like ``Consumer.assign``.
        """
        with self._use_alone("assign"):
            await await_result(self._core.assign(partitions, self._limit_s(timeout)))

    async def unsubscribe(self, timeout: float | None = None) -> None:
        """Give up all partitions (``on_partitions_revoked``) and leave the group, without a commit.

        This is like ``Consumer.unsubscribe``, but a callback that takes longer than ``timeout`` seconds is cancelled,
        and ``on_standby`` is cancelled immediately.
        """
        with self._use_alone("unsubscribe"):
            limit_s, errors = self._limit_s(timeout), list[Exception]()
            deadline = clocks.monotonic() + limit_s
            await self._walk(leave_steps(self._core, self._core.unsubscribe(limit_s), limit_s), errors, deadline)
            _raise_first(errors)

    # ---- reading

    async def poll(
        self, timeout: float | timedelta | None = 1.0, max_records: int | None = None
    ) -> Records[KeyT, ValueT]:
        """Wait up to ``timeout`` seconds for records, and return them; empty if there are none.

        Arguments and errors are as in ``Consumer.poll``. Rebalance callbacks run in this call.
        """
        check_max_records(max_records)
        core = self._core
        while True:
            with self._use_alone("poll"):
                offer = await self._find(max_records, checked_seconds(timeout))
                records = core.records(offer)
            # Make no function calls from here on, as in ``Consumer.poll``.
            if core.fetches.offer is offer:
                offer.is_taken = True
                return records

    @overload
    async def getone(self, *partitions: TopicPartition, timeout: None = None) -> Record[KeyT, ValueT]: ...

    @overload
    async def getone(self, *partitions: TopicPartition, timeout: float | timedelta) -> Record[KeyT, ValueT] | None: ...

    async def getone(
        self, *partitions: TopicPartition, timeout: float | timedelta | None = None
    ) -> Record[KeyT, ValueT] | None:
        """Wait for a record, of these partitions or of any, and return it; None after ``timeout`` seconds.

        Everything else is as in ``Consumer.getone``. A cancelled call loses no record.
        """
        core, only = self._core, checked_partitions(partitions)
        deadline = core.now() + checked_seconds(timeout)
        while True:
            with self._use_alone("getone"):
                offer = await self._find(1, deadline - core.now(), only)
                record, is_over = next(iter(core.records(offer)), None), not offer.parts
            # Make no function calls from here on, as in ``Consumer.poll``.
            if core.fetches.offer is offer:
                offer.is_taken = True
                if record is not None or is_over:  # otherwise, ``on.deserialization.error`` leaves it out
                    return record

    async def _find(
        self, max_records: int | None, timeout_s: float, only: tuple[TopicPartition, ...] | None = None
    ) -> PollOffer:
        """Poll up to ``timeout_s`` seconds; records that are deserialized ahead are offered once they are ready.

        ``only`` is given for ``getone``.
        """
        if self._ahead is None or self._runs:
            if self._ahead is not None:  # ``run`` deserializes each record in its own task
                self._core.use(None)
            await self._walk(self._steps(only, timeout_s))
            return self._core.find(max_records, only or ())
        offer = await self._find_ready(self._ahead, max_records, clocks.monotonic() + timeout_s, only)
        self._core.note_found(offer)
        return offer

    async def _find_ready(
        self, ahead: Ahead, max_records: int | None, deadline: float, only: tuple[TopicPartition, ...] | None = None
    ) -> PollOffer:
        core = self._core
        while True:
            left_s = max(0.0, deadline - clocks.monotonic())
            await self._walk(self._steps(only, left_s))
            # Search again after each wait: no record of a partition may be offered once its revocation has begun.
            offer = core.fetches.find(min(max_records or self.config.max_poll_records, MOST_AHEAD), only=only or ())
            is_empty = not offer.parts
            offer.parts, deserializers = ahead.take_ready(offer.parts)
            if offer.parts or is_empty or left_s == 0.0:
                core.use(deserializers)
                return offer
            await ahead.wait(min(left_s, core.note_interval_s))
            core.check_open()

    def _steps(self, only: tuple[TopicPartition, ...] | None, timeout_s: float) -> Iterator[Step]:
        return poll_steps(self._core, timeout_s) if only is None else one_steps(self._core, only, timeout_s)

    def batches(
        self,
        max_records: int | None = None,
        *,
        value: ValueFormat | None = None,
        key: ValueFormat | None = None,
        on_error: OnError = "raise",
    ) -> AsyncIterator[Records[KeyT, ValueT]]:
        """Yield records in batches of at most ``max_records`` (default: ``max.poll.records``).

        With ``value=Avro(...)``, ``Json(...)`` or ``Protobuf(...)``, ``key`` and ``on_error``, each batch has these
        formats: ``to_arrow()``, ``to_polars()``, ``to_pandas()`` and Arrow's PyCapsule interface decode its values to
        columns like ``Records.to_arrow(value=...)``, and raise the same errors.

        Ends only when all assigned ranges have been read, or after ``consumer.timeout.ms``. Raises the same errors as
        ``poll``, TypeError for an argument that is not a format, and ValueError for an invalid ``on_error``.
        """
        check_max_records(max_records)
        return self._batches(max_records, Formats(value, key, on_error))

    async def _batches(self, max_records: int | None, formats: Formats) -> AsyncIterator[Records[KeyT, ValueT]]:
        while True:
            records = await self.poll(self._idle.wait_s(), max_records)
            if records._slices:  # noqa: SLF001  (no call: a signal handler could lose these records)
                records._formats = formats  # noqa: SLF001
                yield records
                self._idle.note_records()
            elif self._core.fetches.is_all_finished() or self._idle.is_over():
                return

    def __aiter__(self) -> AsyncIterator[Record[KeyT, ValueT]]:
        """Yield the records one by one, like ``Consumer.__iter__``, with the same errors.

        Other tasks run every few milliseconds, even if the loop body awaits nothing.
        """
        return iterate_async(self._core.cursor, self._look_on)

    async def __anext__(self) -> Record[KeyT, ValueT]:
        while True:
            for record in self._core.cursor.records:
                return record  # from here on, a signal handler can't lose this record
            following = self._core.cursor.following
            if following is not None:
                await self._core.cursor.arrival(following)
            else:
                await self._look_on()

    async def _look_on(self) -> None:
        """Poll and start the next run, which may be empty. Raises StopAsyncIteration at the end of a loop."""
        if self._core.fetches.has_records():  # the poll will not wait
            await asyncio.sleep(0)  # lets other tasks run, even if the body awaits nothing
        with self._use_alone("__anext__"):
            offer: PollOffer | None = None
            if self._ahead is None:
                await self._walk(poll_steps(self._core, self._idle.wait_s(), follows="__anext__"))
            else:
                offer = await self._find_ready(self._ahead, None, clocks.monotonic() + self._idle.wait_s())
            if begin_run(self._core, offer) is None or self._ends_idle():
                raise StopAsyncIteration

    # ---- closing

    async def close(self, timeout: float = 30.0, leave: LeaveMode | str = LeaveMode.DEFAULT) -> None:
        """Commit (with auto-commit), give up the partitions, leave the group and stop, within ``timeout`` seconds.

        This is like ``Consumer.close``, but a callback that takes longer is cancelled, and ``on_standby`` is cancelled
        immediately. A cancelled close continues in the background, and another call waits for it.

        If it is called in a callback, it returns immediately. The call that runs the callback closes the consumer when
        the callback has returned, and ends with MisuseError or the callback's error. Records being processed do not
        count as processed.
        """
        await self._close(checked_seconds(timeout), LeaveMode(leave), all_is_processed=True)

    async def _close(self, timeout: float, mode: LeaveMode, all_is_processed: bool) -> None:
        if self._core.engine.is_too_late():
            return
        if is_in_callback(self._core):
            deadline = clocks.monotonic() + timeout
            self._deferred_close = self._deferred_close or (lambda: self._leave_and_stop(mode, deadline, True))
        elif self._is_to_close():
            self._core.begin_closing(all_is_processed)
            self._closing = asyncio.ensure_future(self._close_within(timeout, mode))
            await asyncio.shield(self._closing)
        elif self._closing is not None:
            await asyncio.wait([self._closing])

    def _is_to_close(self) -> bool:
        """Whether the consumer is open and no close is in progress."""
        is_under_way = self._closing is not None and not self._closing.done()
        return not (self._is_closed or is_under_way or self._core.engine.thread.is_foreign)

    async def _close_within(self, timeout: float, mode: LeaveMode) -> None:
        deadline = clocks.monotonic() + timeout
        if self._callback is not None and self._core.callbacks.is_on_standby:
            self._callback.cancel()
        if self._ahead is not None:
            self._ahead.stop()
        is_alone = await self._take_over(this_frame(), deadline - timeout / 2)
        try:
            await self._leave_and_stop(mode, deadline, is_alone)
        finally:
            self._guard.leave(this_frame())

    async def _leave_and_stop(self, mode: LeaveMode, deadline: float, is_alone: bool) -> None:
        """Leave and stop. If a signal handler raises, the next close continues."""
        errors: list[Exception] = []
        if not self._core.engine.thread.has_ended:  # True if an earlier close was interrupted after this step
            await self._leave(mode, deadline, is_alone, errors)
        limit_s = deadline - clocks.monotonic()
        await asyncio.get_running_loop().run_in_executor(None, self._core.engine.stop, limit_s)
        self._is_closed = True
        _raise_first(errors)

    async def _close_if_deferred(self) -> None:
        """Close the consumer if a callback has called ``close``, unless a close is in progress."""
        deferred = self._deferred_close
        if deferred is not None and self._is_to_close():
            self._core.begin_closing(all_is_processed=False)
            self._closing = asyncio.ensure_future(deferred())
            await asyncio.shield(self._closing)
            self._core.engine.mailbox.raise_error()
            raise MisuseError("this consumer was closed during the call")

    async def _take_over(self, frame: FrameType, deadline: float) -> bool:
        """Enter as the only caller until ``frame`` ends; False if another task's call takes too long."""
        while not self._guard.try_enter("close", frame):
            if clocks.monotonic() >= deadline:
                return False
            await self._wait_for_wakeup(WaitForWakeup(self._wakeup.count, 0.001))
        return True

    async def _leave(self, mode: LeaveMode, deadline: float, is_alone: bool, errors: list[Exception]) -> None:
        timeout_s = clocks.seconds_until(deadline)
        if is_alone:
            self._core.finish_reading()
        leaving = self._core.engine.leave(mode, timeout_s)
        try:
            if is_alone:
                await self._walk(leave_steps(self._core, leaving, timeout_s), errors, deadline)
            else:  # the other task runs callbacks
                if self._callback is not None:
                    self._callback.cancel()
                await await_result(leaving)
                errors.append(ConcurrentUseError("close() did not wait any longer for another task's call to end"))
        except Exception as error:
            if not is_outcome(error, leaving):
                raise  # raised by a signal handler
            errors.append(error)

    # ---- executing steps

    async def _walk(
        self, steps: Iterator[Step], errors: list[Exception] | None = None, deadline: float | None = None
    ) -> None:
        """Execute the steps. Errors of callbacks are appended to ``errors`` or, if it is None, raised immediately."""
        for step in steps:
            if isinstance(step, WaitForWakeup):
                await self._wait_for_wakeup(step)
            elif isinstance(step, PendingCallback):
                await self._run_callback(step, errors, deadline)
            else:
                await await_completion(step)
            if self._deferred_close is not None and self._callback is None:
                await self._close_if_deferred()

    async def _wait_for_wakeup(self, step: WaitForWakeup) -> None:
        """Wait; the I/O thread ends the wait in time if the event loop's clock is frozen or replaced."""
        if abs(asyncio.get_running_loop().time() - clocks.monotonic()) > OTHER_CLOCK_S and step.timeout_s < math.inf:
            self._core.engine.wake_after(step.timeout_s)
        await self._wakeup.wait(step.seen, step.timeout_s)

    async def _run_callback(
        self, callback: PendingCallback, errors: list[Exception] | None, deadline: float | None
    ) -> None:
        """Run a callback, or continue to wait for it if the poll that started it was cancelled, and report its end.

        If the callback has ended, but an exception prevented the report, only report it. With ``errors``,
        ``on_standby`` is cancelled, because a member that leaves will not take over.
        """
        core, callbacks = self._core, self._core.callbacks
        ended = callbacks.ended
        if ended is None:
            task = self._callback = self._callback or asyncio.ensure_future(call_async(self._listener, callback, core))
            left_s = None if deadline is None else clocks.seconds_until(deadline)
            is_unneeded = errors is not None and callback.kind is CallbackKind.STANDBY
            if is_unneeded:
                task.cancel()
            await asyncio.wait([task], timeout=left_s)
            failure = None if is_unneeded and task.cancelled() else _failure_of(task, callback)
            if failure is not None and errors is None:
                core.engine.mailbox.post_error(failure)  # for this poll, or the next if this one is cancelled
            # No call between these: if a signal handler raised in one, the end would be lost, or an earlier end
            # reported.
            ended = callbacks.ended = callback, failure
            self._callback = None
        _, error = ended
        if isinstance(error, Exception) and errors is not None:
            errors.append(error)
        await await_completion(callbacks.report(ended))
        callbacks.note_end_reported(ended)


def _failure_of(task: asyncio.Task[None], callback: PendingCallback) -> Exception | None:
    if not task.done():
        task.cancel()
        return RequestTimeoutError(f"{callback.kind.value} did not return in time and was cancelled")
    if task.cancelled():
        return MisuseError(f"{callback.kind.value} was cancelled")
    error = task.exception()
    return error if error is None or isinstance(error, Exception) else MisuseError(describe_error(error))


def _raise_first(errors: list[Exception]) -> None:
    if errors:
        raise errors[0]
