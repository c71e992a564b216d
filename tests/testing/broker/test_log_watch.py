"""A reader that waits for a log: until it changes, until the time is over, or until it is cancelled."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from kafka_nextgen.testing.broker.log_watch import LogWatch
from tests.support.waiting import GUARD_S


async def test_a_change_ends_the_wait() -> None:
    watch = LogWatch()
    reader = asyncio.ensure_future(watch.wait(GUARD_S))
    await asyncio.sleep(0)
    watch.set()
    assert not reader.done(), "the caller may change more"
    watch.set()
    assert await reader


async def test_an_earlier_change_counts_until_it_is_cleared() -> None:
    watch = LogWatch()
    watch.set()
    assert await watch.wait(GUARD_S)
    watch.clear()
    assert not await watch.wait(0)


async def test_the_time_ends_the_wait_in_the_same_turn() -> None:
    watch, loop, ended = LogWatch(), asyncio.get_running_loop(), list[str]()

    async def read() -> None:
        assert not await watch.wait(0)
        ended.append("read")

    reader = asyncio.ensure_future(read())
    await asyncio.sleep(0)
    loop.call_later(0, lambda: ended.append("a later timer"))
    await reader
    await asyncio.sleep(0)
    assert ended == ["read", "a later timer"]


async def test_a_reader_can_be_cancelled() -> None:
    watch = LogWatch()
    reader = asyncio.ensure_future(watch.wait(GUARD_S))
    await asyncio.sleep(0)
    reader.cancel()
    with suppress(asyncio.CancelledError):
        await reader
    watch.set()
    assert await watch.wait(GUARD_S)
