"""The I/O side of one consumer: its connections, its membership and its fetches, which run on a separate thread.

Its methods may be called on the application's threads. Most of them return futures of work on the I/O thread. Those in
the section *immediate* return without waiting for that thread.
"""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from typing import TYPE_CHECKING, TypeVar

from attrs import evolve

from kafka_nextgen import clocks
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.engine.application.wakeup import Wakeup
from kafka_nextgen.engine.bootstrap import Bootstrap
from kafka_nextgen.engine.mailbox import Mailbox
from kafka_nextgen.engine.member.driver_context import DriverContext
from kafka_nextgen.engine.member.identity import MemberIdentity
from kafka_nextgen.engine.member.manual_assignment import ManualAssignment
from kafka_nextgen.engine.member.membership import Membership
from kafka_nextgen.engine.observability.counters import Counters
from kafka_nextgen.engine.observability.health import Health, Limits, Watchdog, assess, collect_health
from kafka_nextgen.engine.observability.hooks import HookList
from kafka_nextgen.engine.observability.rebalance import MemberName, Rebalance
from kafka_nextgen.engine.offsets.group_offsets import MEMBERSHIP_LOST, GroupOffsets
from kafka_nextgen.engine.reading.fetch_exchange import end_sessions
from kafka_nextgen.engine.reading.fetcher import Fetcher
from kafka_nextgen.engine.reading.locked_fetches import LockedFetches
from kafka_nextgen.engine.settings import fetch_settings
from kafka_nextgen.errors import CommitFailedError, KafkaNextgenError, TransportError
from kafka_nextgen.fetching import FetchState
from kafka_nextgen.logs import logger_of
from kafka_nextgen.text import describe_error
from kafka_nextgen.transport.background import log_failure
from kafka_nextgen.transport.cluster import ClusterClient
from kafka_nextgen.transport.cluster_queries import ClusterQueries
from kafka_nextgen.transport.futures import sleep_until_ended
from kafka_nextgen.transport.io_thread import InFlight, IoThread, TaskSet
from kafka_nextgen.transport.settings import TransportSettings
from kafka_nextgen.transport.turned_clock import clock_of
from kafka_nextgen.types import LeaveMode, OffsetAndMetadata, TopicPartition
from kafka_nextgen.wire.records import ColumnSlice

if TYPE_CHECKING:
    from kafka_nextgen.metrics.consumer_metrics import Metrics

__all__ = ["Engine"]

logger = logger_of("kafka_nextgen.engine")

T = TypeVar("T")

#: Minimum time (seconds) to wait for the thread to end. Otherwise a close with a timeout of 0 would never wait for it.
SHORTEST_STOP_S = 0.2
#: The time limit (seconds) for calling ``detached`` on a dropped consumer's hooks.
ABANDONED_S = 5.0
#: How many times the watchdog checks the partitions during the time limit of a fetch.
LOOKS_PER_LIMIT = 4


class Engine:
    """The I/O thread of a consumer and everything that runs on it; used by ``ConsumerCore``.

    Call the methods of ``membership`` and ``manual_assignment`` only on that ``thread``.
    """

    def __init__(self, config: ConsumerConfig, wakeup: Wakeup) -> None:
        self._config = config
        self._wakeup = wakeup
        self.mailbox = Mailbox(wakeup)
        self.hooks = HookList(self.name)
        clock = clock_of(config.bootstrap_servers)
        #: Returns the time on the I/O thread's clock (monotonic seconds); may be called on any thread.
        self.now = clocks.monotonic if clock is None else clock.monotonic
        self.counters = Counters(self.hooks, self.now)
        self._limits = Limits(
            (config.request_timeout_ms + config.fetch_max_wait_ms) / 1000, config.rebalance_timeout_ms / 1000
        )
        self._commits = InFlight()
        self._queries = InFlight()
        self._stopping = False
        self._leaving: asyncio.Task[None] | None = None
        self.thread = IoThread(f"kafka_nextgen {config.client_id}", self._failed_unexpectedly, clock=clock)
        self.thread.begin_with(self._build())

    async def _build(self) -> None:
        config = self._config
        self._tasks = TaskSet(self._failed_unexpectedly)
        settings = TransportSettings.of(config)
        self.cluster = ClusterClient(settings, on_failure=self._failed_unexpectedly)
        self.cluster.on_refused(self.mailbox.post_error)
        self.identity = MemberIdentity(config.group_id or "", config.group_instance_id, client_id=config.client_id)
        self.fetches = LockedFetches(FetchState(fetch_settings(config)), self._on_change)
        self.offsets = self._offsets_of(config.group_id)
        self.fetcher = Fetcher(
            config,
            self.cluster,
            self.offsets,
            self.fetches,
            self.mailbox,
            self._tasks,
            self.counters.fetches,
            self._wakeup.lend_by(self.thread.call_soon),
            lambda: self._wakeup.is_awaited,
        )
        self.cluster_queries = ClusterQueries(self.cluster, config)
        context = DriverContext(
            config,
            self.cluster,
            self.identity,
            self.offsets,
            self.fetcher,
            self.mailbox,
            self._tasks,
            self.counters.group,
        )
        self.membership = Membership(context)
        self.manual_assignment = ManualAssignment(context)
        self.cluster.track_topics(self._topics)
        self._contact = Bootstrap(self.cluster, self._wakeup, settings)
        self._tasks.keep(self._reach)
        watchdog = Watchdog(f"group {config.group_id or '-'}", self.health, self.hooks)
        self._tasks.repeat(watchdog.look, self._limits.answer_s / LOOKS_PER_LIMIT)

    async def _reach(self) -> None:
        await self._contact.make()
        self.hooks.reached()

    def _offsets_of(self, group_id: str | None) -> GroupOffsets:
        if not group_id:
            return GroupOffsets()
        from kafka_nextgen.engine.offsets.client import OffsetClient
        from kafka_nextgen.engine.offsets.requests import OffsetRequests

        requests = OffsetRequests(self.cluster, group_id, self.fetches)
        return OffsetClient(requests, self.identity, self._config, self.counters.commits, self._tasks, self.fetches)

    def _failed_unexpectedly(self, failure: Exception) -> None:
        """Log an unexpected failure of background work; the next poll raises it."""
        if not isinstance(failure, KafkaNextgenError):
            log_failure(failure)
        self.mailbox.post_error(failure)

    def _topics(self) -> frozenset[str]:
        """The topics whose metadata is kept up to date."""
        return self.membership.topics | {tp.topic for tp in self.fetches.assignment()}

    def _on_change(self) -> None:
        self.thread.call_soon(self.fetcher.pump)

    # ---- immediate, on any thread

    def name(self) -> MemberName:
        """The current identity of this consumer in its group."""
        config, protocol = self._config, self.membership.protocol
        return MemberName(
            self.cluster.metadata.cluster_id or "",
            config.group_id or "",
            "" if protocol is None else protocol.value,
            self.identity.member_id,
            config.group_instance_id,
            config.client_id,
        )

    @property
    def bootstrap_error(self) -> TransportError | None:
        """The last error while connecting to the first broker; None once a broker has been reached."""
        driver = self.membership.driver
        was_heard = driver is not None and driver.last_heartbeat_at is not None
        return None if was_heard else self._contact.error

    @property
    def unreachable(self) -> TransportError | None:
        """``bootstrap_error``, if it has lasted long enough for polls to raise it."""
        return self.bootstrap_error if self._contact.is_overdue else None

    def rebalances(self) -> tuple[Rebalance, ...]:
        """The last rebalances of the member, oldest first."""
        driver = self.membership.driver
        return driver.history.rebalances() if driver is not None else ()

    def health(self) -> Health:
        """The health of the consumer, without a request to any broker."""
        unreachable = self.cluster.refusal or self.bootstrap_error
        problem = self.manual_assignment.problem() if unreachable is None else str(unreachable)
        health = collect_health(self.counters, self.fetches, self.membership, self._limits, self.now())
        health = evolve(health, throttle=self.cluster.throttle)
        return assess(health, self._limits, problem)

    def metrics(self, given_out: Sequence[ColumnSlice]) -> Metrics:
        """The metrics at this moment; ``given_out`` are the records that iteration yielded since its last poll."""
        from kafka_nextgen.engine.observability.metrics_snapshot import collect_metrics

        if self._wakeup.sockets is not None:
            self._wakeup.sockets.count_traffic()
        driver, progress = self.membership.driver, self.fetches.look(lambda state: state.progress(given_out))
        metrics = collect_metrics(self.counters, progress, self.cluster.traffic, driver, self.now())
        return evolve(metrics, group_id=self._config.group_id, client_id=self._config.client_id)

    def repeat(self, work: Callable[[], None], interval_s: float) -> None:
        """Call ``work``, which must not block, on the I/O thread every ``interval_s`` seconds until it stops."""
        self.thread.call_soon(lambda: self._tasks.repeat(work, interval_s))

    def wake_after(self, timeout_s: float) -> None:
        """Let the I/O thread notify the wakeup after ``timeout_s`` seconds."""
        self.thread.call_soon(lambda: asyncio.get_running_loop().call_later(timeout_s, self._wakeup.notify))

    # ---- membership

    def leave(self, mode: LeaveMode, timeout_s: float) -> Future[None]:
        """Leave the group before closing; done when the coordinator responds or after ``timeout_s``."""
        return self.thread.submit(self._close(mode, timeout_s))

    async def _go(self, mode: LeaveMode | None, timeout_s: float) -> None:
        """Leave the group: in this mode before closing or, if ``mode`` is None, to continue without a group."""
        await self.manual_assignment.give_up(timeout_s, commits=mode is not None and self._contact.is_made)
        await self.membership.leave(mode, timeout_s)

    async def _close(self, mode: LeaveMode, timeout_s: float) -> None:
        """Leave the group or, if an earlier call was interrupted, wait for the leave that it began."""
        if self._leaving is None:
            self._leaving = asyncio.ensure_future(self._leave(mode, timeout_s))
        await asyncio.wait([self._leaving], timeout=timeout_s)
        if self._leaving.done():
            self._leaving.result()

    async def _leave(self, mode: LeaveMode, timeout_s: float) -> None:
        """Wait for pending commits for up to half of ``timeout_s``, then leave in the remaining time."""
        began = clocks.monotonic()
        self.cluster.lift_throttles()
        await self._commits.wait(timeout_s / 2)
        await self._go(mode, timeout_s - (clocks.monotonic() - began))

    def unsubscribe(self, timeout_s: float) -> Future[None]:
        """Give up all partitions and leave the group; done when the coordinator responds or after ``timeout_s``."""
        return self.thread.submit(self._go(None, timeout_s))

    # ---- offsets

    def query(self, work: Callable[[], Coroutine[object, object, T]]) -> Future[T]:
        """Run a query of the cluster on the I/O thread; ``cancel_pending`` cancels it."""
        return self.thread.submit(self._queries.do(work))

    def commit(
        self,
        offsets: Mapping[TopicPartition, OffsetAndMetadata],
        timeout_s: float,
        lost: frozenset[TopicPartition] = frozenset(),
    ) -> Future[None]:
        """Commit; the future raises CommitFailedError or a TransportError.

        The commit fails for the partitions in ``lost``: their records were handed over but can no longer be committed.
        """
        return self.thread.submit(self._commits.do(lambda: self._commit(offsets, timeout_s, lost)))

    async def _commit(
        self, offsets: Mapping[TopicPartition, OffsetAndMetadata], timeout_s: float, lost: frozenset[TopicPartition]
    ) -> None:
        try:
            await self.offsets.commit(offsets, timeout_s, lost)
        except CommitFailedError as error:
            reported = [tp for tp, reason in error.failed.items() if reason in MEMBERSHIP_LOST or tp in lost]
            self.fetches.under_lock(lambda state: state.handover.uncommitted.note_reported(reported))
            raise

    def note_seek(self, partitions: frozenset[TopicPartition]) -> None:
        """Inform auto-commit, in order with commits, that the application has called ``seek`` for these partitions."""
        if self._config.enable_auto_commit:
            self.thread.call_after_submitted(lambda: self.offsets.sought(partitions))

    # ---- closing

    def cancel_pending(self, grace_s: float) -> None:
        """End pending queries with MisuseError now, and pending commits within ``grace_s`` seconds.

        Takes no lock and never blocks, so that a signal handler can call this at any point.
        """
        self.thread.call_after_submitted(lambda: self._cancel_pending(grace_s))

    def _cancel_pending(self, grace_s: float) -> None:
        self._queries.cancel()
        self._commits.cancel(grace_s)

    def stop(self, timeout_s: float) -> None:
        """End the I/O thread and close every connection, within ``timeout_s`` seconds.

        All pending calls end with MisuseError.
        """
        self._stopping = True
        timeout_s = max(timeout_s, SHORTEST_STOP_S)
        deadline = clocks.monotonic() + timeout_s
        try:
            if not self.thread.has_ended:  # True if an earlier close was interrupted after this step
                self._shut_down_within(timeout_s)
        finally:
            self.thread.stop(max(SHORTEST_STOP_S, deadline - clocks.monotonic()))
            left_s = max(SHORTEST_STOP_S, deadline - clocks.monotonic())
            self.hooks.each(lambda hooks: hooks.detached(left_s))

    def _shut_down_within(self, timeout_s: float) -> None:
        try:
            shutting_down = self.thread.submit(self._shut_down())
            if not sleep_until_ended(shutting_down, timeout_s):
                logger.warning("closing did not finish within %s s; giving up", timeout_s)
            else:
                shutting_down.result()
        except (CancelledError, KafkaNextgenError) as error:
            logger.warning("closing: %s", describe_error(error))

    def is_too_late(self) -> bool:
        """Whether the interpreter is shutting down, so that the consumer can no longer be closed; logs this once."""
        if not self.thread.is_frozen:
            return False
        if not self._stopping:
            self._stopping = True
            logger.warning(
                "%s was not closed before the interpreter began to shut down, which stops threads: %s; close it "
                "earlier, in a with block or with atexit.register(consumer.close)",
                *self._left_behind(),
            )
        return True

    def _left_behind(self) -> tuple[str, str]:
        what = f"a consumer of group {self._config.group_id}" if self._config.group_id else "a consumer"
        return what, "nothing is committed, and its member stays in the group until its session ends"

    def abandon(self) -> None:
        """Stop without leaving the group, like a crash, because the consumer was garbage-collected; never blocks.

        The garbage collector may call this on any thread, including the I/O thread.
        """
        if self._stopping or self.thread.is_foreign or self.thread.is_frozen:
            return
        self.thread.end_after(self._shut_down_abandoned)
        what, why = self._left_behind()
        warnings.warn(f"{what} was dropped without close(): {why}", ResourceWarning, stacklevel=2)

    async def _shut_down_abandoned(self) -> None:
        try:
            await self._shut_down()
        finally:
            if self._wakeup.sockets is not None:  # a collection of garbage may be far away
                self._wakeup.sockets.close()
            self.hooks.each(lambda hooks: hooks.detached(ABANDONED_S))  # the last work on the I/O thread

    async def _shut_down(self) -> None:
        self.membership.stop()
        self.fetcher.close()
        self.offsets.stop()
        await end_sessions(self.cluster, self.fetches)
        await self._tasks.cancel_all()
        await self.cluster.close()
