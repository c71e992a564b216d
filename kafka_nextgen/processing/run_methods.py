"""The method ``run`` of both consumers. The runners are imported when it is first called."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING, Generic

from kafka_nextgen.processing.arguments import (
    DRAIN_TIMEOUT_S,
    AsyncDeadLetter,
    DeadLetter,
    Order,
)
from kafka_nextgen.processing.stopping import StopHandle, stopped_by_signals
from kafka_nextgen.types import KeyT, Record, ValueT

if TYPE_CHECKING:
    from kafka_nextgen.engine.application.arguments import Topics
    from kafka_nextgen.processing.consumers import AsyncConsumerToRun, ConsumerToRun

__all__ = ["AwaitsHandlers", "RunsHandlers"]


class RunsHandlers(Generic[KeyT, ValueT]):
    """Adds ``run`` to ``Consumer``."""

    def run(
        self: ConsumerToRun,
        handler: Callable[[Record[KeyT, ValueT]], object],
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

        ``topics`` defaults to the current subscription, which must have no listener, or to the manual assignment.

        Each record is handled at least once. Records of one partition, or with ``order="key"`` of one key in a
        partition, are handled one at a time, in order. If the handler raises, the record is retried, up to ``attempts``
        attempts in total, with pauses of ``retry.backoff.ms``, doubling up to ``retry.backoff.max.ms``. After the last
        attempt, ``dead_letter`` is called with the record (key and value as bytes, even with deserializers) and the
        error; when it returns, the record counts as handled. ``on.deserialization.error`` determines what happens to a
        record that can't be deserialized: with ``raise`` there is only one attempt, and a skipped record counts as
        handled.

        Every ``auto.commit.interval.ms``, and at the end, each partition's offset is committed up to its first
        unhandled record. Before revoked partitions are given up, their records that have been started are handled and
        committed, within ``drain_timeout_s`` seconds and at most 80% of ``rebalance.timeout.ms`` and
        ``max.poll.interval.ms``. Nothing is committed for lost partitions.

        ``stop``, or SIGTERM and SIGINT in the main thread, end the run: records that have been started are handled,
        within ``drain_timeout_s`` seconds, and committed. The consumer stays open; its next poll starts after the
        handled records. Existing handlers of these signals are called, too. Without them, a second SIGTERM has no
        effect during the time allowed for the stop and ``close``, and a second SIGINT, at least one second later, ends
        the process immediately.

        Raises ConfigError with ``enable.auto.commit=true``; MisuseError if there is nothing to read, another listener,
        or no ``group.id`` for commits; the handler's exception, if there is no ``dead_letter``; the exception of
        ``dead_letter``; and the errors of ``Consumer.poll`` and ``Consumer.commit``. ``health().problem`` reports such
        an error until the application runs or polls again.
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


class AwaitsHandlers(Generic[KeyT, ValueT]):
    """Adds ``run`` to ``AsyncConsumer``."""

    async def run(
        self: AsyncConsumerToRun,
        handler: Callable[[Record[KeyT, ValueT]], object],
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
        """Call ``handler`` with every record of ``topics``, in up to ``concurrency`` tasks; return when stopped.

        ``handler`` and ``dead_letter`` can be ``async``. Tasks still in progress ``drain_timeout_s`` seconds after the
        stop are cancelled; if this call is cancelled, they are cancelled immediately. Otherwise, this is like
        ``Consumer.run``.
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
