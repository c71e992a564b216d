"""A consumer whose connection is lent to the thread, or the task, that waits for records."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

import pytest

from kafka_nextgen import Consumer, Record
from kafka_nextgen.engine.reading import fetch_exchange, lent_sockets
from kafka_nextgen.engine.reading.lent_sockets import LentSockets
from tests.engine.injected_calls import result_of
from tests.engine.stage import Stage, values
from tests.support.waiting import GUARD_S, eventually

#: What is lent stays lent, however slow the machine is.
LONG_S = 3600.0


def lend_soon(monkeypatch: pytest.MonkeyPatch, away_s: float = LONG_S) -> None:
    """Have connections lent at once, awaited or not, and taken back if the application is away for ``away_s``."""
    monkeypatch.setattr(fetch_exchange, "AWAITED_BEFORE_LENT", 0)
    monkeypatch.setattr(lent_sockets, "AWAY_S", away_s)


def sockets_of(consumer: Any) -> LentSockets:
    sockets: LentSockets | None = consumer._core.wakeup.sockets
    assert sockets is not None
    return sockets


def is_lent(consumer: Any) -> bool:
    """Whether a connection is lent, and of use."""
    return any(not lent.socket.is_over for lent in sockets_of(consumer).by_fd.values())


def hold_back(monkeypatch: pytest.MonkeyPatch, consumer: Any) -> threading.Event:
    """Have the lent connection served no more, and not taken back before the event that this returns.

    A consumer that meanwhile tries to wait for it again and again, and never for anything else, fails.
    """
    sockets, goes_on, times = sockets_of(consumer), threading.Event(), count()
    begin: Callable[..., object] = sockets._begin

    def begin_rows(*waits: object) -> object:
        assert next(times) < 100, "it only ever tries to wait for a connection that is to be taken back"
        return begin(*waits)

    monkeypatch.setattr(sockets, "_begin", begin_rows)
    consumer._core.engine.thread.call_soon(goes_on.wait)
    for lent in sockets.by_fd.values():
        lent.socket.stop()
    return goes_on


def is_waiting(consumer: Any) -> bool:
    """Whether a caller waits for records, on whatever."""
    wakeup = consumer._core.wakeup
    rows = sockets_of(consumer).rows
    is_in_rows = rows is not None and bool(rows.is_waiting)
    return is_in_rows or (wakeup.is_awaited and (rows is None or isinstance(consumer, Consumer) is False))


@contextmanager
def once_waiting(consumer: Any, happens: Callable[[], object]) -> Iterator[None]:
    """Have this happen, on a thread, as soon as the consumer waits for records; it has when the block ends."""
    is_over = threading.Event()

    def wait_and_act() -> None:
        eventually("it waits", lambda: is_waiting(consumer) or is_over.is_set())
        happens()

    thread = threading.Thread(target=wait_and_act)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


async def arriving(stage: Stage, consumer: Any, take: Callable[[], Any], number: int = 1, partition: int = 0) -> Any:
    """What ``take`` returns, for which so many records arrive once it waits."""
    if isinstance(consumer, Consumer):
        with once_waiting(consumer, lambda: stage.write(partition, number)):
            return await result_of(take())
    taking = asyncio.ensure_future(take())
    while not (is_waiting(consumer) or taking.done()):
        await asyncio.sleep(0)
    stage.write(partition, number)
    return await taking


def records_of(taken: Any) -> list[Record]:
    return [taken] if isinstance(taken, Record) else list(taken)


async def lend(stage: Stage, consumer: Any, take: Callable[[], Any]) -> list[Record]:
    """Read records that arrive one by one until the connection is lent; what was read."""
    seen: list[Record] = []
    for _ in range(100):
        if is_lent(consumer):
            return seen
        seen += records_of(await arriving(stage, consumer, take))
    raise AssertionError(f"nothing is lent after {values(seen)}")


def poll(consumer: Any) -> Any:
    """Poll until a record comes: one that came after the poll would be in the way of the next."""
    return consumer.poll(GUARD_S)


def lent_reader(stage: Stage, take: Callable[[Consumer], Any] = poll, **config: object) -> Consumer:
    """A consumer without a group, of two partitions, whose connection is lent."""
    stage.create(partitions=2)
    consumer = stage.reader(0, 1, **{"fetch_max_wait_ms": 5_000, **config})
    asyncio.run(lend(stage, consumer, lambda: take(consumer)))
    return consumer


__all__ = [
    *("arriving", "hold_back", "is_lent", "is_waiting", "lend", "lend_soon", "lent_reader", "once_waiting"),
    *("poll", "records_of", "result_of", "sockets_of"),
]
