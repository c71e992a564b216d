"""The method ``run`` of both consumers. The runners are imported when it is first called."""

from __future__ import annotations

import inspect
from contextlib import nullcontext

from kafka_nextgen.engine.application.arguments import Topics
from kafka_nextgen.processing.arguments import (
    DRAIN_TIMEOUT_S,
    AsyncDeadLetter,
    AsyncHandler,
    DeadLetter,
    Handler,
    Order,
)
from kafka_nextgen.processing.consumers import AsyncConsumerToRun, ConsumerToRun
from kafka_nextgen.processing.stopping import StopHandle, stopped_by_signals

__all__ = ["AwaitsHandlers", "RunsHandlers"]


class RunsHandlers:
    """Adds ``run`` to ``Consumer``."""

    def run(
        self: ConsumerToRun,
        handler: Handler,
        topics: Topics | None = None,
        *,
        concurrency: int = 8,
        order: Order | str = Order.PARTITION,
        attempts: int = 3,
        dead_letter: DeadLetter | None = None,
        drain_timeout_s: float = DRAIN_TIMEOUT_S,
        stop_on_signals: bool = True,
        stop: StopHandle | None = None,
    ) -> None:
        """Call ``handler`` with every record of ``topics``, on up to ``concurrency`` threads; return when stopped.

        ``topics`` default to what was subscribed to without a listener, or to the partitions assigned by hand.

        Each record is handled at least once. Those of one partition, or with ``order="key"`` of one key in a
        partition, are handled one after the other. A record whose handler raised is tried ``attempts`` times in all,
        with pauses of ``retry.backoff.ms``, doubling up to ``retry.backoff.max.ms``; then ``dead_letter`` is called
        with it (key and value as bytes, even with deserializers) and the error, and it counts as handled
        once that returned. A record that can't be deserialized is treated by ``on.deserialization.error``: given up
        at the first attempt with ``raise``, handled once it is skipped.

        Every ``auto.commit.interval.ms``, and at the end, the offset after the records that are handled without a
        gap is committed. Partitions that are revoked are given up when what was begun of them is handled and
        committed, within ``drain_timeout_s`` seconds and at most 80% of ``rebalance.timeout.ms`` and
        ``max.poll.interval.ms``. Of partitions that are lost nothing is committed.

        ``stop``, or SIGTERM and SIGINT in the main thread, end it: what was begun is handled, within
        ``drain_timeout_s``, and committed. The consumer stays open; its next poll begins after what was handled.
        Handlers of these signals that were there before are called, too. Without any, a second SIGTERM does nothing
        while the stop and ``close`` may take their time, and a second SIGINT ends at once, a second or more later.

        Raises ConfigError with ``enable.auto.commit=true``; MisuseError if there is nothing to read, another
        listener, or no ``group.id`` to commit for; what the handler raised, if there is no ``dead_letter``; what
        ``dead_letter`` raised; what ``Consumer.poll`` and ``Consumer.commit`` raise. ``health().problem`` tells such an
        error from then on, until the application runs or polls again.
        """
        from kafka_nextgen.processing.blocking import BlockingConsumer, run_blocking
        from kafka_nextgen.processing.runner import Runner
        from kafka_nextgen.processing.settings import ProcessingSettings
        from kafka_nextgen.processing.work import Work
        from kafka_nextgen.processing.worker_pool import WorkerPool

        with self._running():
            for name, function in (("handler", handler), ("dead_letter", dead_letter)):
                if inspect.iscoroutinefunction(function):
                    raise TypeError(f"an async {name} needs AsyncConsumer; Consumer can't await it")
            subscribes_to = self._topics_to_run(topics)
            settings = ProcessingSettings.of(self.config, concurrency, order, attempts, drain_timeout_s)
            handle = stop or StopHandle()
            work = Work(settings, dead_letter is not None)
            pool = WorkerPool(work, self, handler, dead_letter, concurrency)
            runner = Runner(BlockingConsumer(self), pool, work, settings, handle)
            with stopped_by_signals(handle, settings.stop_timeout_s) if stop_on_signals else nullcontext():
                run_blocking(runner.run(subscribes_to))


class AwaitsHandlers:
    """Adds ``run`` to ``AsyncConsumer``."""

    async def run(
        self: AsyncConsumerToRun,
        handler: AsyncHandler,
        topics: Topics | None = None,
        *,
        concurrency: int = 8,
        order: Order | str = Order.PARTITION,
        attempts: int = 3,
        dead_letter: AsyncDeadLetter | None = None,
        drain_timeout_s: float = DRAIN_TIMEOUT_S,
        stop_on_signals: bool = True,
        stop: StopHandle | None = None,
    ) -> None:
        """Call ``handler`` with every record of ``topics``, by up to ``concurrency`` tasks; return when stopped.

        ``handler`` and ``dead_letter`` may be ``async``. What is still at work after ``drain_timeout_s`` at the end,
        or when this is cancelled, is cancelled. Otherwise as ``Consumer.run``.
        """
        from kafka_nextgen.processing.aio_worker_pool import AsyncWorkerPool
        from kafka_nextgen.processing.runner import Runner
        from kafka_nextgen.processing.settings import ProcessingSettings
        from kafka_nextgen.processing.work import Work

        with self._running():
            subscribes_to = self._topics_to_run(topics)
            settings = ProcessingSettings.of(self.config, concurrency, order, attempts, drain_timeout_s)
            handle = stop or StopHandle()
            work = Work(settings, dead_letter is not None)
            pool = AsyncWorkerPool(work, self, handler, dead_letter)
            runner = Runner(self, pool, work, settings, handle)
            with stopped_by_signals(handle, settings.stop_timeout_s) if stop_on_signals else nullcontext():
                await runner.run(subscribes_to)
