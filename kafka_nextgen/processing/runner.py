"""One ``run`` of a consumer: it polls and commits, while threads or tasks call the handler.

Polling never stops, so callbacks run and ``max.poll.interval.ms`` is not exceeded even if a handler takes a long time;
partitions with enough buffered records are paused. Revoked partitions are drained and committed before
``on_partitions_revoked`` returns: until then the member owns them (KIP-848, "Rebalance Process").

``AsyncConsumer`` awaits this code. For ``Consumer`` the same code runs with blocking calls (``blocking``) and a pool of
threads. The threads share the work, so every access to it holds the pool's lock. A cancelled ``run`` cancels its
handlers, commits finished records and re-raises the cancellation.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import AsyncExitStack, suppress
from typing import TYPE_CHECKING

from kafka_nextgen import clocks
from kafka_nextgen.engine.application.rebalance_listener import AsyncRebalanceConsumer, AsyncRebalanceListener
from kafka_nextgen.engine.application.records import Records
from kafka_nextgen.errors import CommitFailedError, KafkaNextgenError, MisuseError, TransportError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.processing.committing import Committer
from kafka_nextgen.processing.settings import ProcessingSettings, poll_timeout_s
from kafka_nextgen.types import TopicPartition, format_partitions

if TYPE_CHECKING:
    from kafka_nextgen.engine.application.arguments import Offsets, Topics
    from kafka_nextgen.processing.aio_worker_pool import AsyncWorkerPool
    from kafka_nextgen.processing.blocking import BlockingConsumer, BlockingRebalanceConsumer
    from kafka_nextgen.processing.consumers import AsyncConsumerToRun
    from kafka_nextgen.processing.stopping import StopHandle
    from kafka_nextgen.processing.work import Work
    from kafka_nextgen.processing.worker_pool import WorkerPool

__all__ = ["Runner"]

logger = logger_of("kafka_nextgen.processing")


class Runner(AsyncRebalanceListener):
    """One ``run`` of one consumer, and its rebalance listener."""

    def __init__(
        self,
        consumer: AsyncConsumerToRun | BlockingConsumer,
        pool: AsyncWorkerPool | WorkerPool,
        work: Work,
        settings: ProcessingSettings,
        handle: StopHandle,
    ) -> None:
        self._consumer = consumer
        self._pool = pool
        self._work = work
        self._settings = settings
        self._handle = handle
        positions = consumer._positions  # noqa: SLF001  (internal to the library, not a public method)
        self._committer = Committer(consumer.commit_async, positions, settings.commit_interval_s)
        self._polled = Records()  # the records of the last poll, until they are added to the work
        self._paused: frozenset[TopicPartition] = frozenset()

    async def run(self, topics: Topics | None) -> None:
        """Run until stopped. Without topics, use the manual assignment.

        Raises the exceptions of a handler, ``dead_letter``, a poll or the last commit.
        """
        try:
            await self._work_until_over(topics)
        except BaseException:  # a signal handler may have raised it, even in _finish
            await self._clean_up(topics)
            raise

    async def _work_until_over(self, topics: Topics | None) -> None:
        if topics is not None:
            await self._consumer.subscribe(topics, self)
        self._pool.start()
        failure = await self._poll_until_over()
        try:
            await self._finish(topics, failure)
        except KafkaNextgenError as error:
            if failure is None:
                raise
            logger.warning("at the end of run(): %s", error)
        if failure is not None:
            raise failure

    # ---- polling

    async def _poll_until_over(self) -> BaseException | None:
        try:
            while not self._is_over():
                await self._poll()
        except BaseException as error:  # run() raises it after _finish
            return error
        return self._work.error

    def _is_over(self) -> bool:
        with self._pool.lock:
            return self._work.is_over(self._handle.is_stopped, clocks.monotonic())

    async def _poll(self) -> None:
        await self._throttle()
        with self._pool.lock:
            max_records = self._work.max_records(self._consumer.assignment())
        self._polled = await self._consumer.poll(poll_timeout_s(bool(self._paused)), max_records)
        self._pool.add(self._polled)
        self._polled = Records()
        with self._pool.lock:
            self._committer.commit_if_due(self._work.progress, clocks.monotonic())
        await self._pool.let_handlers_run()

    async def _throttle(self) -> None:
        assignment = self._consumer.assignment()
        paused = self._paused & assignment
        with self._pool.lock:
            wanted = self._work.to_pause(assignment, paused)
        self._paused = wanted | paused  # first, so that an exception leaves no partition paused forever
        try:
            await self._consumer.pause(wanted - paused)
            await self._consumer.resume(paused - wanted)
            self._paused = wanted
        except MisuseError as changed:  # the assignment has just changed; the next poll tries again
            logger.debug("%s", changed)

    # ---- rebalances

    async def on_partitions_revoked(
        self, consumer: AsyncRebalanceConsumer | BlockingRebalanceConsumer, partitions: Sequence[TopicPartition]
    ) -> None:
        """Wait for the tasks in progress, and commit the finished records."""
        with self._pool.lock:
            self._work.give_back(partitions)
        await self._pool.wait_until_drained(partitions, self._settings.revocation_timeout_s)
        try:
            await self._commit(consumer.commit, partitions)
        except (CommitFailedError, TransportError) as error:  # then the next owner starts at an earlier offset
            logger.warning("%s: revoked without a commit: %s", format_partitions(partitions), error)
        finally:
            self._forget(partitions)

    async def on_partitions_lost(
        self, consumer: AsyncRebalanceConsumer | BlockingRebalanceConsumer, partitions: Sequence[TopicPartition]
    ) -> None:
        """Forget the partitions without a commit: another member may already own them."""
        self._forget(partitions)

    def _forget(self, partitions: Collection[TopicPartition]) -> None:
        with self._pool.lock:
            self._work.forget(partitions)
        self._paused -= frozenset(partitions)

    async def _commit(
        self, commit: Callable[[Offsets, float], Awaitable[None]], partitions: Collection[TopicPartition] | None
    ) -> None:
        """Make the last commit. It repeats acknowledged offsets: a delayed older commit may have overwritten them."""
        if self._committer.pending is not None:
            await self._pool.wait_for(self._committer.pending, self._settings.commit_timeout_s)
        with self._pool.lock:
            offsets = self._work.committable(partitions)
        if offsets:
            await commit(offsets, self._settings.commit_timeout_s)

    # ---- ending

    async def _finish(self, topics: Topics | None, failure: BaseException | None) -> None:
        """Drain the tasks, commit, rewind to the first unfinished record and remove the listener.

        A cancellation, or an exception from a signal handler, interrupts one of these steps; the others still run.
        """
        async with AsyncExitStack() as rest:
            rest.push_async_callback(self._remove_listener, topics)
            rest.push_async_callback(self._rewind)
            rest.push_async_callback(self._commit, self._consumer.commit, None)
            rest.push_async_callback(self._pool.shut_down)
            with self._pool.lock:
                self._work.begin_to_end()
            if not isinstance(failure, asyncio.CancelledError):
                await self._pool.wait_until_drained(None, self._work.left_s(clocks.monotonic()))

    async def _clean_up(self, topics: Topics | None) -> None:
        """Repeat the steps of ``_finish`` that must not be skipped."""
        await self._pool.shut_down()
        await self._rewind()
        await self._remove_listener(topics)

    async def _remove_listener(self, topics: Topics | None) -> None:
        if topics is not None:
            with suppress(KafkaNextgenError):  # the next call reports it
                await self._consumer.subscribe(topics)

    async def _rewind(self) -> None:
        with self._pool.lock:
            self._work.begin_to_end()
            positions = self._work.positions(self._polled.raw())
        with suppress(MisuseError):  # the consumer is closed, or the partition is no longer assigned
            await self._consumer.resume(self._paused & self._consumer.assignment())
        for partition, offset in positions.items():
            with suppress(MisuseError):
                await self._consumer.seek(partition, offset)
        self._polled = Records()
        with self._pool.lock:
            self._work.forget(list(self._work.progress.partitions))
