"""The consumer for asyncio: ``AsyncConsumer``, with the names of ``Consumer``, awaited."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import AsyncIterator, Collection, Iterable, Mapping
from concurrent.futures import Future
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TypeVar

from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.engine.core import ConsumerCore
from kafka_nextgen.engine.guard import Guard
from kafka_nextgen.engine.listener import AsyncRebalanceListener, RebalanceListener
from kafka_nextgen.engine.lookups import OffsetAndTimestamp
from kafka_nextgen.engine.mailbox import AsyncSignal, PendingCallback
from kafka_nextgen.engine.rebalance_view import AsyncRebalanceConsumer
from kafka_nextgen.engine.records import Records
from kafka_nextgen.errors import ConcurrentUseError, MisuseError, RequestTimeoutError
from kafka_nextgen.membership.events import Subscribed
from kafka_nextgen.types import LeaveMode, OffsetAndMetadata, Record, TopicPartition

__all__ = ["AsyncConsumer"]

T = TypeVar("T")

#: How long (seconds) iteration waits before it looks whether the consumer was closed meanwhile.
ITERATION_TIMEOUT_S = 10.0


class AsyncConsumer:
    """Reads topics as a member of a consumer group, for applications built on asyncio.

    The same configuration, methods and errors as ``Consumer``; what waits there is awaited here. Heartbeats and
    fetches run on a thread of their own, so that a busy event loop costs no partition. One task at a time may be
    inside a call (ConcurrentUseError otherwise). A call that is cancelled loses nothing.

        async with AsyncConsumer({"bootstrap.servers": "localhost:9092", "group.id": "billing"}) as consumer:
            await consumer.subscribe(["orders"])
            async for record in consumer:
                ...
    """

    def __init__(self, config: Mapping[str, object] | ConsumerConfig | None = None, **settings: object) -> None:
        parsed = config if isinstance(config, ConsumerConfig) else ConsumerConfig.parse(config, **settings)
        self._signal = AsyncSignal()
        self._core = ConsumerCore(parsed, self._signal)
        self._listener: RebalanceListener | AsyncRebalanceListener | None = None
        self._running: tuple[PendingCallback, asyncio.Task[None]] | None = None
        self._guard = Guard(asyncio.current_task)

    async def __aenter__(self) -> AsyncConsumer:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def config(self) -> ConsumerConfig:
        """The configuration in force."""
        return self._core.config

    # ---- subscribing

    async def subscribe(
        self, topics: Collection[str], listener: RebalanceListener | AsyncRebalanceListener | None = None
    ) -> None:
        """Read ``topics`` as a member of the group; the methods of ``listener`` may be ``async``."""
        if isinstance(topics, str):
            raise TypeError(f"subscribe() takes a collection of topic names; did you mean [{topics!r}]?")
        with self._use("subscribe"):
            self._listener = listener
            await _answer(self._core.engine.subscribe(Subscribed(frozenset(topics)), listener is not None))

    async def unsubscribe(self, timeout: float | None = None) -> None:
        """Give all partitions up (``on_partitions_revoked``) and leave the group; nothing is committed."""
        with self._use("unsubscribe"):
            self._core.settle()
            await self._run_out(self._core.engine.unsubscribe(self._api_timeout(timeout)))

    def assignment(self) -> frozenset[TopicPartition]:
        """The partitions this member owns now."""
        return self._core.engine.fetcher.assignment()

    # ---- reading

    async def poll(self, timeout: float = 1.0, max_records: int | None = None) -> Records:
        """Wait up to ``timeout`` seconds for records and hand them over; empty if none came."""
        with self._use("poll"):
            self._core.settle()
            await self._wait_for_records(time.monotonic() + timeout)
            return self._core.take(max_records or self.config.max_poll_records)

    async def batches(self, max_records: int | None = None) -> AsyncIterator[Records]:
        """Hand over records in batches, for ever; ``max_records`` bounds each (``max.poll.records``)."""
        while True:
            records = await self.poll(ITERATION_TIMEOUT_S, max_records)
            if records:
                yield records

    def __aiter__(self) -> AsyncConsumer:
        return self

    async def __anext__(self) -> Record:
        record = self._core.next_looked_at()  # the quick way: no lock, as long as looked-at records last
        if record is not None:
            return record
        with self._use("__anext__"):
            while record is None:
                self._core.settle()
                await self._wait_for_records(time.monotonic() + ITERATION_TIMEOUT_S)
                record = next(self._core.look(self.config.max_poll_records), None)
            return record

    async def _wait_for_records(self, deadline: float) -> None:
        """Do what a poll owes the member, and return when there are records or the time is over."""
        core = self._core
        while True:
            self._signal.clear()
            noted = core.note_poll()
            if noted is not None:
                await _answer(noted)
            await self._run_callbacks()
            core.raise_posted()
            if core.engine.fetcher.has_records():
                return
            wait_s = core.wait_at_most_s(deadline)
            if wait_s <= 0:
                core.raise_if_unreachable()
                return
            await self._signal.wait(wait_s)
            core.check_open()

    # ---- rebalance callbacks

    async def _run_callbacks(self) -> None:
        """Run what waits to be run. A callback whose poll was cancelled goes on, and the next poll waits for it."""
        while True:
            if self._running is None:
                callback = self._core.engine.mailbox.take_callback()
                if callback is None:
                    return
                self._running = callback, asyncio.ensure_future(self._run_callback(callback))
            callback, task = self._running
            await asyncio.wait([task])
            self._running = None
            error = _error_of(task)
            if error is not None:
                self._core.engine.mailbox.post_error(error)  # raised by this poll, or the next if this is cancelled
            await asyncio.shield(_answer(self._core.callback_finished(callback, error)))
            self._core.raise_posted()

    async def _run_callback(self, callback: PendingCallback) -> None:
        if self._listener is None:
            return
        method = getattr(self._listener, callback.kind.value)
        with AsyncRebalanceConsumer(self._core, self._commit, self._position) as view:
            outcome = method(view, list(callback.partitions))
            if inspect.isawaitable(outcome):
                await outcome

    # ---- positions

    async def commit(
        self, offsets: Mapping[TopicPartition, OffsetAndMetadata | int] | None = None, timeout: float | None = None
    ) -> None:
        """Commit ``offsets``, or the positions behind everything handed over."""
        with self._use("commit"):
            await self._commit(offsets, timeout)

    async def _commit(
        self, offsets: Mapping[TopicPartition, OffsetAndMetadata | int] | None, timeout: float | None
    ) -> None:
        self._core.settle_progress()
        limit_s = self._api_timeout(timeout)
        await _answer(self._core.engine.commit(self._core.offsets_to_commit(offsets), limit_s))

    def commit_async(
        self, offsets: Mapping[TopicPartition, OffsetAndMetadata | int] | None = None
    ) -> asyncio.Future[None]:
        """Commit without waiting; the future tells how it ended."""
        with self._use("commit_async"):
            self._core.settle_progress()
            commit = self._core.engine.commit(self._core.offsets_to_commit(offsets), self._api_timeout(None))
            return asyncio.wrap_future(commit)

    async def committed(
        self, partitions: Collection[TopicPartition], timeout: float | None = None
    ) -> dict[TopicPartition, OffsetAndMetadata | None]:
        """The group's committed offsets, None where there is none."""
        with self._use("committed"):
            return await _answer(self._core.engine.committed(partitions, self._api_timeout(timeout)))

    async def position(self, partition: TopicPartition, timeout: float | None = None) -> int:
        """The offset of the next record of ``partition``; waits while it is being looked up."""
        with self._use("position"):
            return await self._position(partition, timeout)

    async def _position(self, partition: TopicPartition, timeout: float | None) -> int:
        self._core.settle_progress()
        deadline = time.monotonic() + self._api_timeout(timeout)
        while True:
            self._signal.clear()
            position = self._core.position_now(partition)
            if position is not None:
                return position
            remaining_s = deadline - time.monotonic()
            if remaining_s <= 0:
                raise RequestTimeoutError(f"{partition}: no position was found in time")
            await self._signal.wait(remaining_s)

    async def seek(self, partition: TopicPartition, offset: int | OffsetAndMetadata) -> None:
        """Go on reading ``partition`` at ``offset``; raises MisuseError if it is not assigned."""
        with self._use("seek"):
            self._core.settle()
            self._core.require_assigned([partition])
            self._core.seek(partition, offset)

    async def seek_to_beginning(self, partitions: Collection[TopicPartition] = ()) -> None:
        """Go on reading at the first offset there is, in ``partitions`` or in all."""
        with self._use("seek_to_beginning"):
            self._core.settle()
            self._core.engine.fetcher.seek_to_beginning(self._assigned_or_all(partitions))

    async def seek_to_end(self, partitions: Collection[TopicPartition] = ()) -> None:
        """Go on reading behind the last record there is, in ``partitions`` or in all."""
        with self._use("seek_to_end"):
            self._core.settle()
            self._core.engine.fetcher.seek_to_end(self._assigned_or_all(partitions))

    async def pause(self, partitions: Collection[TopicPartition]) -> None:
        """Hand out no record of ``partitions`` until they are resumed; dropped when they are given up."""
        with self._use("pause"):
            self._core.settle()
            self._core.require_assigned(partitions)
            self._core.engine.fetcher.pause(partitions)

    async def resume(self, partitions: Collection[TopicPartition]) -> None:
        """Undo ``pause``."""
        with self._use("resume"):
            self._core.require_assigned(partitions)
            self._core.engine.fetcher.resume(partitions)

    def paused(self) -> frozenset[TopicPartition]:
        """The partitions that are paused."""
        return self._core.engine.fetcher.paused()

    # ---- looking things up

    async def beginning_offsets(
        self, partitions: Iterable[TopicPartition], timeout: float | None = None
    ) -> dict[TopicPartition, int]:
        """The first offset there is in each partition."""
        found = await self.offsets_for_times(dict.fromkeys(partitions, -2), timeout)
        return {tp: at.offset for tp, at in found.items()}

    async def end_offsets(
        self, partitions: Iterable[TopicPartition], timeout: float | None = None
    ) -> dict[TopicPartition, int]:
        """The offset behind the last record of each partition."""
        found = await self.offsets_for_times(dict.fromkeys(partitions, -1), timeout)
        return {tp: at.offset for tp, at in found.items()}

    async def offsets_for_times(
        self, timestamps: Mapping[TopicPartition, int], timeout: float | None = None
    ) -> dict[TopicPartition, OffsetAndTimestamp]:
        """The first offset whose record is not older than the timestamp (milliseconds since the epoch)."""
        with self._use("offsets_for_times"):
            return await _answer(self._core.engine.list_offsets(timestamps, self._api_timeout(timeout)))

    async def partitions_for(self, topic: str, timeout: float | None = None) -> tuple[int, ...]:
        """The partitions of a topic, empty if there is no such topic."""
        with self._use("partitions_for"):
            return await _answer(self._core.engine.partitions_for(topic, self._api_timeout(timeout)))

    async def topics(self, timeout: float | None = None) -> tuple[str, ...]:
        """The topics of the cluster this principal may see."""
        with self._use("topics"):
            return await _answer(self._core.engine.topics(self._api_timeout(timeout)))

    # ---- the end

    async def close(self, timeout: float = 30.0, leave: LeaveMode | str = LeaveMode.DEFAULT) -> None:
        """Commit (with auto-commit), give the partitions up, leave the group and stop, within ``timeout`` seconds."""
        mode = LeaveMode(leave)
        if self._core.closing:
            return
        deadline = time.monotonic() + timeout
        self._core.closing = True
        await self._take_over(deadline)
        try:
            self._core.settle()
            self._core.engine.fetcher.mark_consumed()
            await self._run_out(self._core.leave(mode, timeout))
        finally:
            limit_s = max(1.0, deadline - time.monotonic())
            await asyncio.get_running_loop().run_in_executor(None, self._core.engine.stop, limit_s)
            self._guard.leave()

    async def _take_over(self, deadline: float) -> None:
        while not self._guard.try_enter("close"):
            if time.monotonic() >= deadline:
                raise ConcurrentUseError("close() waited in vain for another task's call to end")
            self._signal.ring()
            await asyncio.sleep(0.001)

    async def _run_out(self, future: Future[None]) -> None:
        """Run callbacks until ``future`` is done; the first callback's error is raised afterwards."""
        future.add_done_callback(lambda _: self._signal.ring())
        first_error: BaseException | None = None
        while not future.done():
            self._signal.clear()
            try:
                await self._run_callbacks()
            except Exception as error:  # raised below, when the rest is done
                first_error = first_error or error
            if not future.done():
                await self._signal.wait(ITERATION_TIMEOUT_S)
        future.result()
        if first_error is not None:
            raise first_error

    # ---- small things

    def _use(self, call: str) -> AbstractContextManager[None]:
        self._core.check_open()
        return self._guard.entered(call)

    def _api_timeout(self, timeout: float | None) -> float:
        return self.config.default_api_timeout_ms / 1000 if timeout is None else timeout

    def _assigned_or_all(self, partitions: Collection[TopicPartition]) -> Collection[TopicPartition]:
        self._core.require_assigned(partitions)
        return partitions or self.assignment()


def _error_of(task: asyncio.Task[None]) -> Exception | None:
    if task.cancelled():
        return MisuseError("a rebalance callback was cancelled")
    error = task.exception()
    return error if error is None or isinstance(error, Exception) else MisuseError(repr(error))


async def _answer(future: Future[T]) -> T:
    return await asyncio.wrap_future(future)
