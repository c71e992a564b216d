"""A connection that is lent to an event loop: every record comes once, in order, whatever happens meanwhile."""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from kafka_nextgen import AsyncConsumer
from kafka_nextgen.compiled import ACCELERATED
from kafka_nextgen.engine.reading.lent_sockets import CAN_LEND, AsyncLentSockets
from kafka_nextgen.errors import ConcurrentUseError
from tests.engine.lent import arriving, hold_back, is_lent, is_waiting, lend, lend_soon, poll, records_of, sockets_of
from tests.engine.stage import Stage, tp
from tests.support.descriptors import open_descriptors
from tests.support.garbage import no_collections

pytestmark = pytest.mark.skipif(not (ACCELERATED and CAN_LEND), reason="nothing can be lent")


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    lend_soon(monkeypatch)


@asynccontextmanager
async def lent(stage: Stage, **config: object) -> AsyncIterator[AsyncConsumer]:
    """A consumer without a group, of two partitions, whose connection is lent."""
    stage.create(partitions=2)
    async with AsyncConsumer(**stage.config(**{"group_id": None, "fetch_max_wait_ms": 5_000, **config})) as consumer:
        await consumer.assign([tp(0), tp(1)])
        await lend(stage, consumer, lambda: poll(consumer))
        yield consumer


Take = Callable[[AsyncConsumer], Awaitable[Any]]


async def by_polls(consumer: AsyncConsumer) -> Any:
    return await poll(consumer)


async def by_next(consumer: AsyncConsumer) -> Any:
    return await anext(consumer)


WAYS = pytest.mark.parametrize("take", [by_polls, by_next])


async def reads_on(stage: Stage, consumer: AsyncConsumer, take: Take = by_next, times: int = 4) -> bool:
    """Whether what comes next is what is written now."""
    first, seen = await consumer.position(tp(0)), list[int]()
    while len(seen) < times:
        taken = await arriving(stage, consumer, lambda: take(consumer))
        seen += [int(record.value) for record in records_of(taken)]
    return seen == list(range(first, first + times))


@WAYS
async def test_records_are_received_by_the_loop_that_waits_for_them(stage: Stage, take: Take) -> None:
    async with lent(stage) as consumer:
        (only,) = sockets_of(consumer).by_fd.values()
        assert await reads_on(stage, consumer, take, 20)
        assert not only.socket.is_over, "it was lent all the time"


async def test_a_loop_gets_each_record_that_was_fetched_together(stage: Stage) -> None:
    """Even if it pauses in the midst of them, for other tasks."""
    async with lent(stage) as consumer:
        first, seen = await consumer.position(tp(0)), list[int]()

        async def read() -> None:
            async for record in consumer:
                seen.append(int(record.value))
                if len(seen) == 400:
                    return

        reading = asyncio.ensure_future(read())
        for _ in range(4):
            while not is_waiting(consumer):
                await asyncio.sleep(0)
            stage.write_batch(0, 100)
            before = len(seen)
            while len(seen) < before + 100:
                await asyncio.sleep(0)
        await reading
        assert seen == list(range(first, first + 400))


async def test_other_ways_of_reading_go_on_where_one_was(stage: Stage) -> None:
    async with lent(stage) as consumer:
        for take in (by_next, by_polls, by_next):
            assert await reads_on(stage, consumer, take, 3)


@WAYS
async def test_a_cancelled_wait_loses_nothing(stage: Stage, take: Take) -> None:
    async with lent(stage) as consumer:
        for _ in range(3):
            waiting = asyncio.ensure_future(take(consumer))
            while not is_waiting(consumer):
                await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            assert await reads_on(stage, consumer, take, 2)


async def test_another_task_goes_on_where_one_was_and_is_refused_while_that_waits(stage: Stage) -> None:
    async with lent(stage) as consumer:
        assert await reads_on(stage, consumer)
        assert await asyncio.create_task(reads_on(stage, consumer))
        waiting = asyncio.ensure_future(anext(consumer))
        while not is_waiting(consumer):
            await asyncio.sleep(0)
        with pytest.raises(ConcurrentUseError):
            await consumer.poll(0)
        stage.write(0, 1)
        await waiting


CALLS: dict[str, Callable[[AsyncConsumer], Awaitable[object]]] = {
    "pause": lambda consumer: pause_and_resume(consumer),
    "seek": lambda consumer: seek(consumer),
    "end_offsets": lambda consumer: consumer.end_offsets([tp(0)]),
}


async def pause_and_resume(consumer: AsyncConsumer) -> None:
    await _done(consumer.pause([tp(0)]))
    await _done(consumer.resume([tp(0)]))


async def seek(consumer: AsyncConsumer) -> None:
    await _done(consumer.seek(tp(0), await consumer.position(tp(0))))


async def _done(what: Any) -> None:
    if what is not None:
        await what


@WAYS
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
async def test_reading_goes_on_after_a_call(
    stage: Stage, take: Take, call: Callable[[AsyncConsumer], Awaitable[object]]
) -> None:
    """A connection that nobody serves any more is taken back."""
    async with lent(stage, fetch_max_wait_ms=600_000, request_timeout_ms=900_000) as consumer:
        assert await reads_on(stage, consumer, take)
        await call(consumer)
        assert await reads_on(stage, consumer, take)


@WAYS
async def test_nobody_waits_for_a_connection_that_is_to_be_taken_back(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, take: Take
) -> None:
    """A task that tried to would keep its loop, and the GIL."""
    async with lent(stage) as consumer:
        goes_on = hold_back(monkeypatch, consumer)
        taking = asyncio.ensure_future(take(consumer))
        while not (is_waiting(consumer) or taking.done()):
            await asyncio.sleep(0)
        goes_on.set()
        stage.write(0, 1)
        assert len(records_of(await taking)) == 1
        assert await reads_on(stage, consumer, take)


async def test_a_loop_that_cannot_watch_sockets_is_lent_none(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    def cannot(*_: object) -> None:
        raise NotImplementedError

    monkeypatch.setattr(asyncio.get_running_loop(), "add_reader", cannot)
    stage.create(partitions=2)
    async with AsyncConsumer(**stage.config(group_id=None, fetch_max_wait_ms=5_000)) as consumer:
        await consumer.assign([tp(0), tp(1)])
        assert await reads_on(stage, consumer, by_next, 30)
        assert not sockets_of(consumer).by_fd


async def test_without_file_descriptors_the_other_thread_goes_on(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: int) -> int:
        raise OSError(24, "Too many open files")

    async with lent(stage) as consumer:
        sockets = sockets_of(consumer)
        assert isinstance(sockets, AsyncLentSockets)
        for watched in tuple(sockets._watched.values()):
            sockets._forget(watched.lent)
        monkeypatch.setattr(os, "dup", refuse)
        assert await reads_on(stage, consumer)


async def test_a_closed_consumer_keeps_no_connection_open(stage: Stage) -> None:
    async with lent(stage) as consumer:
        assert await reads_on(stage, consumer)
        assert is_lent(consumer)
    sockets = sockets_of(consumer)
    assert isinstance(sockets, AsyncLentSockets)
    await asyncio.sleep(0)
    assert not sockets._watched


@WAYS
async def test_a_closed_consumer_leaves_no_descriptor(stage: Stage, take: Take) -> None:
    gc.collect()
    with no_collections():
        before = set(open_descriptors())
        async with lent(stage, fetch_max_wait_ms=50) as consumer:
            assert await reads_on(stage, consumer, take)
        while not set(open_descriptors()) <= before:
            await asyncio.sleep(0)
