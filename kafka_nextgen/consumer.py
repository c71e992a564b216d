"""The consumer for applications that wait: ``Consumer``."""

from __future__ import annotations

import inspect
import threading
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TypeVar

from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.engine.core import ConsumerCore
from kafka_nextgen.engine.guard import Guard
from kafka_nextgen.engine.listener import RebalanceListener
from kafka_nextgen.engine.lookups import OffsetAndTimestamp
from kafka_nextgen.engine.mailbox import PendingCallback, ThreadSignal
from kafka_nextgen.engine.rebalance_view import RebalanceConsumer
from kafka_nextgen.engine.records import Records
from kafka_nextgen.errors import ConcurrentUseError, MisuseError, RequestTimeoutError
from kafka_nextgen.membership.events import Subscribed
from kafka_nextgen.types import LeaveMode, OffsetAndMetadata, Record, TopicPartition

__all__ = ["Consumer"]

T = TypeVar("T")

#: The I/O thread answers what needs no broker in far less; this much (seconds) means that it is stuck.
HANDSHAKE_LIMIT_S = 10.0


class Consumer:
    """Reads topics as a member of a consumer group.

    Takes the configuration under Kafka's names, as a mapping, or in snake_case, as keyword arguments; raises
    ConfigError if it can't be used. Timeouts of methods are seconds; None means ``default.api.timeout.ms``. One
    thread at a time may be inside a call (ConcurrentUseError otherwise); ``close`` may come from any thread.

        with Consumer({"bootstrap.servers": "localhost:9092", "group.id": "billing"}) as consumer:
            consumer.subscribe(["orders"])
            for record in consumer:
                ...
    """

    def __init__(self, config: Mapping[str, object] | ConsumerConfig | None = None, **settings: object) -> None:
        parsed = config if isinstance(config, ConsumerConfig) else ConsumerConfig.parse(config, **settings)
        self._signal = ThreadSignal()
        self._core = ConsumerCore(parsed, self._signal)
        self._listener: RebalanceListener | None = None
        self._guard = Guard(threading.get_ident)

    def __enter__(self) -> Consumer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def config(self) -> ConsumerConfig:
        """The configuration in force."""
        return self._core.config

    # ---- subscribing

    def subscribe(self, topics: Collection[str], listener: RebalanceListener | None = None) -> None:
        """Read ``topics`` as a member of the group; replaces an earlier subscription.

        The group is joined in the background; partitions arrive while ``poll`` is called. ``listener`` hears of
        them. Raises ConfigError without ``group.id``, TypeError for a bare string.
        """
        if isinstance(topics, str):
            raise TypeError(f"subscribe() takes a collection of topic names; did you mean [{topics!r}]?")
        _refuse_coroutines(listener)
        with self._use("subscribe"):
            self._listener = listener
            self._answer(self._core.engine.subscribe(Subscribed(frozenset(topics)), listener is not None))

    def unsubscribe(self, timeout: float | None = None) -> None:
        """Give all partitions up (``on_partitions_revoked``) and leave the group; nothing is committed."""
        with self._use("unsubscribe"):
            self._core.settle()
            self._run_out(self._core.engine.unsubscribe(self._api_timeout(timeout)))

    def assignment(self) -> frozenset[TopicPartition]:
        """The partitions this member owns now."""
        return self._core.engine.fetcher.assignment()

    # ---- reading

    def poll(self, timeout: float = 1.0, max_records: int | None = None) -> Records:
        """Wait up to ``timeout`` seconds for records and hand them over; empty if none came.

        At most ``max_records`` (``max.poll.records``). Rebalance callbacks run in here. Raises what a callback
        raised, what the coordinator refused for good, CorruptRecordError, OffsetOutOfRangeError, and
        NoBrokersError if no broker was ever reached.
        """
        with self._use("poll"):
            return self._poll(time.monotonic() + timeout, max_records)

    def batches(self, max_records: int | None = None) -> Iterator[Records]:
        """Hand over records in batches, for ever; ``max_records`` bounds each (``max.poll.records``)."""
        while True:
            records = self.poll(HANDSHAKE_LIMIT_S, max_records)
            if records:
                yield records

    def __iter__(self) -> Iterator[Record]:
        return self

    def __next__(self) -> Record:
        record = self._core.next_looked_at()  # the quick way: no lock, as long as looked-at records last
        if record is not None:
            return record
        with self._use("__next__"):
            while record is None:
                self._core.settle()
                self._wait_for_records(time.monotonic() + HANDSHAKE_LIMIT_S)
                record = next(self._core.look(self.config.max_poll_records), None)
            return record

    def _poll(self, deadline: float, max_records: int | None) -> Records:
        self._core.settle()
        self._wait_for_records(deadline)
        return self._core.take(max_records or self.config.max_poll_records)

    def _wait_for_records(self, deadline: float) -> None:
        """Do what a poll owes the member, and return when there are records or the time is over."""
        core = self._core
        while True:
            self._signal.clear()
            noted = core.note_poll()
            if noted is not None:
                self._answer(noted)
            self._run_callbacks()
            core.raise_posted()
            if core.engine.fetcher.has_records():
                return
            wait_s = core.wait_at_most_s(deadline)
            if wait_s <= 0:
                core.raise_if_unreachable()
                return
            self._signal.wait(wait_s)
            core.check_open()

    # ---- rebalance callbacks

    def _run_callbacks(self) -> None:
        for callback in self._core.pending_callbacks():
            error = self._run_callback(callback)
            self._answer(self._core.callback_finished(callback, error))
            if error is not None:
                raise error

    def _run_callback(self, callback: PendingCallback) -> BaseException | None:
        if self._listener is None:
            return None
        method = getattr(self._listener, callback.kind.value)
        with RebalanceConsumer(self._core, self._commit, self._position) as view:
            try:
                method(view, list(callback.partitions))
            except BaseException as error:  # the member must hear of it, whatever it is; it is raised again above
                return error
        return None

    # ---- positions

    def commit(
        self, offsets: Mapping[TopicPartition, OffsetAndMetadata | int] | None = None, timeout: float | None = None
    ) -> None:
        """Commit ``offsets``, or the positions behind everything handed over, and wait for it.

        Raises CommitFailedError naming the partitions, GroupAuthorizationError, or RequestTimeoutError.
        """
        with self._use("commit"):
            self._commit(offsets, timeout)

    def _commit(self, offsets: Mapping[TopicPartition, OffsetAndMetadata | int] | None, timeout: float | None) -> None:
        self._core.settle_progress()
        limit_s = self._api_timeout(timeout)
        self._answer(self._core.engine.commit(self._core.offsets_to_commit(offsets), limit_s), limit_s)

    def commit_async(self, offsets: Mapping[TopicPartition, OffsetAndMetadata | int] | None = None) -> Future[None]:
        """Commit without waiting; the future tells how it ended."""
        with self._use("commit_async"):
            self._core.settle_progress()
            return self._core.engine.commit(self._core.offsets_to_commit(offsets), self._api_timeout(None))

    def committed(
        self, partitions: Collection[TopicPartition], timeout: float | None = None
    ) -> dict[TopicPartition, OffsetAndMetadata | None]:
        """The group's committed offsets, None where there is none."""
        with self._use("committed"):
            limit_s = self._api_timeout(timeout)
            return self._answer(self._core.engine.committed(partitions, limit_s), limit_s)

    def position(self, partition: TopicPartition, timeout: float | None = None) -> int:
        """The offset of the next record of ``partition``; waits while it is being looked up.

        Raises MisuseError if the partition is not assigned.
        """
        with self._use("position"):
            return self._position(partition, timeout)

    def _position(self, partition: TopicPartition, timeout: float | None) -> int:
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
            self._signal.wait(remaining_s)

    def seek(self, partition: TopicPartition, offset: int | OffsetAndMetadata) -> None:
        """Go on reading ``partition`` at ``offset``; raises MisuseError if it is not assigned."""
        with self._use("seek"):
            self._core.settle()
            self._core.require_assigned([partition])
            self._core.seek(partition, offset)

    def seek_to_beginning(self, partitions: Collection[TopicPartition] = ()) -> None:
        """Go on reading at the first offset there is, in ``partitions`` or in all."""
        with self._use("seek_to_beginning"):
            self._core.settle()
            self._core.engine.fetcher.seek_to_beginning(self._assigned_or_all(partitions))

    def seek_to_end(self, partitions: Collection[TopicPartition] = ()) -> None:
        """Go on reading behind the last record there is, in ``partitions`` or in all."""
        with self._use("seek_to_end"):
            self._core.settle()
            self._core.engine.fetcher.seek_to_end(self._assigned_or_all(partitions))

    def pause(self, partitions: Collection[TopicPartition]) -> None:
        """Hand out no record of ``partitions`` until they are resumed; dropped when they are given up."""
        with self._use("pause"):
            self._core.settle()
            self._core.require_assigned(partitions)
            self._core.engine.fetcher.pause(partitions)

    def resume(self, partitions: Collection[TopicPartition]) -> None:
        """Undo ``pause``."""
        with self._use("resume"):
            self._core.require_assigned(partitions)
            self._core.engine.fetcher.resume(partitions)

    def paused(self) -> frozenset[TopicPartition]:
        """The partitions that are paused."""
        return self._core.engine.fetcher.paused()

    # ---- looking things up

    def beginning_offsets(
        self, partitions: Iterable[TopicPartition], timeout: float | None = None
    ) -> dict[TopicPartition, int]:
        """The first offset there is in each partition."""
        return self._offsets_at(dict.fromkeys(partitions, -2), timeout)

    def end_offsets(
        self, partitions: Iterable[TopicPartition], timeout: float | None = None
    ) -> dict[TopicPartition, int]:
        """The offset behind the last record of each partition."""
        return self._offsets_at(dict.fromkeys(partitions, -1), timeout)

    def offsets_for_times(
        self, timestamps: Mapping[TopicPartition, int], timeout: float | None = None
    ) -> dict[TopicPartition, OffsetAndTimestamp]:
        """The first offset whose record is not older than the timestamp (milliseconds since the epoch)."""
        with self._use("offsets_for_times"):
            limit_s = self._api_timeout(timeout)
            return self._answer(self._core.engine.list_offsets(timestamps, limit_s), limit_s)

    def partitions_for(self, topic: str, timeout: float | None = None) -> tuple[int, ...]:
        """The partitions of a topic, empty if there is no such topic."""
        with self._use("partitions_for"):
            limit_s = self._api_timeout(timeout)
            return self._answer(self._core.engine.partitions_for(topic, limit_s), limit_s)

    def topics(self, timeout: float | None = None) -> tuple[str, ...]:
        """The topics of the cluster this principal may see."""
        with self._use("topics"):
            limit_s = self._api_timeout(timeout)
            return self._answer(self._core.engine.topics(limit_s), limit_s)

    # ---- the end

    def close(self, timeout: float = 30.0, leave: LeaveMode | str = LeaveMode.DEFAULT) -> None:
        """Commit (with auto-commit), give the partitions up, leave the group and stop, within ``timeout`` seconds.

        May be called from any thread, more than once; a call under way in another thread ends with MisuseError.
        ``leave`` is "default" (a static member leaves for a while), "remain" or "leave" (KIP-1092). Raises what
        a callback raised, after everything else is done.
        """
        mode = LeaveMode(leave)
        if self._core.closing:
            return
        deadline = time.monotonic() + timeout
        self._core.closing = True
        self._take_over(deadline)
        try:
            self._core.settle()
            self._core.engine.fetcher.mark_consumed()
            self._run_out(self._core.leave(mode, timeout))
        finally:
            self._core.engine.stop(max(1.0, deadline - time.monotonic()))
            self._guard.leave()

    def _take_over(self, deadline: float) -> None:
        """Become the one caller, for close."""
        while not self._guard.try_enter("close"):
            if time.monotonic() >= deadline:
                raise ConcurrentUseError("close() waited in vain for another thread's call to end")
            self._signal.ring()
            time.sleep(0.001)

    def _run_out(self, future: Future[None]) -> None:
        """Run callbacks until ``future`` is done; the first callback's error is raised afterwards."""
        future.add_done_callback(lambda _: self._signal.ring())
        first_error: BaseException | None = None
        while not future.done():
            self._signal.clear()
            try:
                self._run_callbacks()
            except BaseException as error:  # raised below, when the rest is done
                first_error = first_error or error
            if not future.done():
                self._signal.wait(HANDSHAKE_LIMIT_S)
        future.result()
        if first_error is not None:
            raise first_error

    # ---- small things

    def _use(self, call: str) -> AbstractContextManager[None]:
        self._core.check_open()
        return self._guard.entered(call)

    def _api_timeout(self, timeout: float | None) -> float:
        return self.config.default_api_timeout_ms / 1000 if timeout is None else timeout

    def _answer(self, future: Future[T], limit_s: float = 0.0) -> T:
        """The future's result; what runs on the I/O thread keeps its own time, this only catches a stuck one."""
        try:
            return future.result(limit_s + HANDSHAKE_LIMIT_S)
        except FutureTimeoutError:
            future.cancel()
            raise RequestTimeoutError("the consumer's I/O thread did not answer in time") from None
        except CancelledError:
            raise MisuseError("this consumer was closed during the call") from None

    def _assigned_or_all(self, partitions: Collection[TopicPartition]) -> Collection[TopicPartition]:
        self._core.require_assigned(partitions)
        return partitions or self.assignment()

    def _offsets_at(self, timestamps: Mapping[TopicPartition, int], timeout: float | None) -> dict[TopicPartition, int]:
        return {tp: found.offset for tp, found in self.offsets_for_times(timestamps, timeout).items()}


def _refuse_coroutines(listener: RebalanceListener | None) -> None:
    names = ("on_partitions_assigned", "on_partitions_revoked", "on_partitions_lost")
    if any(inspect.iscoroutinefunction(getattr(listener, name, None)) for name in names):
        raise TypeError("a listener with async methods needs AsyncConsumer; Consumer can't await them")
