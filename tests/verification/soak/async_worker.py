"""``tests.verification.soak.worker`` with an ``AsyncConsumer``: SIGUSR1 and SIGINT cancel the call that is under way.

``loop`` is whose event loop it runs on, ``asyncio`` or ``uvloop``.
"""

from __future__ import annotations

import asyncio
import random
import signal
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, TypeVar

import uvloop

from kafka_nextgen import (
    AsyncConsumer,
    AsyncRebalanceConsumer,
    AsyncRebalanceListener,
    KafkaNextgenError,
    Record,
    StopHandle,
    TopicPartition,
)
from tests.verification.soak.telling import Book, Orders, tell
from tests.verification.soak.told import on_committed, report_vitals, tell_of_failure
from tests.verification.soak.worker import MOST_FAILURES, POLLS_PER_COMMIT, SHARE_OF_FLAKY_CALLS, WORK_S

T = TypeVar("T")


class Telling(AsyncRebalanceListener):
    """Tells of callbacks around those of another listener, if there is one, and else commits what is given up."""

    def __init__(self, book: Book, inner: AsyncRebalanceListener | None = None) -> None:
        self._book, self._inner = book, inner

    async def on_partitions_assigned(
        self, consumer: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]
    ) -> None:
        self._book.took(partitions)
        if self._inner is not None:
            await self._inner.on_partitions_assigned(consumer, partitions)

    async def on_partitions_revoked(
        self, consumer: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]
    ) -> None:
        if self._inner is not None:
            await self._inner.on_partitions_revoked(consumer, partitions)
        elif self._book.commits not in ("auto", "run"):
            await commit(consumer, self._book)
        self._book.gave_up("revoked", partitions)

    async def on_partitions_lost(self, consumer: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        if self._inner is not None:
            await self._inner.on_partitions_lost(consumer, partitions)
        self._book.gave_up("lost", partitions)


class ToldConsumer(AsyncConsumer):
    book: Book

    async def subscribe(self, topics: Any, listener: Any = None) -> None:
        await super().subscribe(topics, Telling(self.book, listener))


async def commit(consumer: AsyncConsumer | AsyncRebalanceConsumer, book: Book) -> None:
    told, since = dict(book.processed), time.monotonic()
    try:
        await consumer.commit()
    except KafkaNextgenError as error:
        tell_of_failure(error, book, told, since)
    else:
        tell("committed", offsets=told, since=since)


class Worker:
    """Reads until it is stopped; a call that is cancelled is made again."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.orders = Orders()
        self.chance = random.Random(book.specification["seed"])
        self.call: asyncio.Task[Any] | None = None
        self.is_subscribed = book.specification["mode"] == "run"  # which does it itself
        self.handle = StopHandle()
        self.consumer = ToldConsumer(book.config())
        self.consumer.book = book

    def listen_to_signals(self) -> None:
        def handle(number: signal.Signals, handler: Callable[[], None]) -> None:
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(handler))

        loop = asyncio.get_running_loop()  # handlers of its own end with it, and the next signal would be the end
        handle(signal.SIGUSR1, self._cancel)
        if self.book.specification["mode"] != "run":
            handle(signal.SIGINT, self._cancel)
            handle(signal.SIGTERM, self._stop)

    def _cancel(self) -> None:
        if self.call is not None:
            self.call.cancel()

    def _stop(self) -> None:
        self.orders.is_stopped = True
        self._cancel()

    async def _cancellable(self, call: Awaitable[T]) -> T | None:
        """Return what the call returns, None if a signal cancelled it."""
        self.call = asyncio.ensure_future(call)  # type: ignore[arg-type]
        try:
            return await self.call  # type: ignore[no-any-return]
        except asyncio.CancelledError:
            return None
        finally:
            self.call = None

    # ---- reading

    async def work(self) -> None:
        modes: dict[str, Callable[[], Awaitable[None]]] = {
            "poll": self._poll, "iterate": self._iterate, "run": self._run
        }  # fmt: skip
        step = modes[self.book.specification["mode"]]
        failures = 0
        while not self.orders.is_stopped:
            before = self.book.records
            try:
                await self._subscribe()
                await step()
            except KafkaNextgenError as error:
                tell("trouble", note=repr(error))
                failures = failures + 1 if self.book.records == before else 0
                if failures > MOST_FAILURES:
                    raise
                await asyncio.sleep(0.1)

    async def _subscribe(self) -> None:
        if not self.is_subscribed:
            await self.consumer.subscribe(self.book.topics())
            self.is_subscribed = True

    async def _poll(self) -> None:
        for _ in range(POLLS_PER_COMMIT):
            records = await self._cancellable(self.consumer.poll(timeout=0.3))
            self.book.deliver(records or ())
            await self._process(len(records or ()))
        await self._commit()

    async def _iterate(self) -> None:
        for _ in range(POLLS_PER_COMMIT * 5):
            if self.orders.is_stopped:  # while nothing was awaited that a signal could cancel
                return
            record = await self._cancellable(self.consumer.__anext__())
            if record is None:
                return
            self.book.deliver([record])
            await self._process(1)
        await self._commit()

    async def _run(self) -> None:
        running = self.consumer.run(
            self._handle, self.book.topics(), concurrency=3, attempts=1_000_000, stop=self.handle
        )
        await self._cancellable(running)
        self.orders.is_stopped = self.handle.is_stopped

    async def _handle(self, record: Record) -> None:
        await asyncio.sleep(WORK_S)
        if self.chance.random() < SHARE_OF_FLAKY_CALLS:
            raise ValueError("this call fails, the next one will not")
        self.book.deliver([record])

    async def _process(self, count: int) -> None:
        await asyncio.sleep(WORK_S * count)
        command = self.orders.next()
        if command is not None and command.verb == "slow":
            await asyncio.sleep(command.amount)

    async def _commit(self) -> None:
        if self.book.commits == "sync":
            await self._cancellable(commit(self.consumer, self.book))
        elif self.book.commits == "async":
            told, since = dict(self.book.processed), time.monotonic()
            self.consumer.commit_async().add_done_callback(partial(on_ended, told, since))

    async def close(self) -> None:
        await self.consumer.close()


def on_ended(told: dict[int, int], since: float, ended: asyncio.Future[None]) -> None:
    error = asyncio.CancelledError() if ended.cancelled() else ended.exception()
    on_committed(told, since, None, error)


async def main() -> None:
    book = Book.of_arguments()
    worker = Worker(book)
    worker.listen_to_signals()
    every_s = book.specification.get("vitals_s")
    if every_s:
        threading.Thread(target=report_vitals, args=([worker.consumer], book, every_s), daemon=True).start()
    tell("started", note=type(asyncio.get_running_loop()).__module__.partition(".")[0])
    try:
        await worker.work()
    finally:
        book.leave()
        await worker.close()
    tell("closed")


if __name__ == "__main__":
    run = uvloop.run if Book.of_arguments().specification.get("loop") == "uvloop" else asyncio.run
    run(main())
