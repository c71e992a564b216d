"""Whoever waits is woken, thread or task, and no ring is lost to him or to another."""

from __future__ import annotations

import asyncio
import threading

from kafka_nextgen.engine.application.wakeup import AsyncWakeup, ThreadWakeup

LONG_S = 60.0


def test_a_waiting_thread_is_woken() -> None:
    wakeup = ThreadWakeup()
    seen = wakeup.count
    threading.Timer(0.01, wakeup.notify).start()
    wakeup.wait(seen, LONG_S)
    assert wakeup.count == seen + 1


def test_a_ring_between_looking_and_waiting_is_not_lost() -> None:
    wakeup = ThreadWakeup()
    seen = wakeup.count
    wakeup.notify()
    wakeup.wait(seen, LONG_S)


def test_a_ring_before_looking_does_not_count() -> None:
    wakeup = ThreadWakeup()
    wakeup.notify()
    wakeup.wait(wakeup.count, 0.001)  # returns because the time is over


def test_a_task_is_woken_from_another_thread() -> None:
    async def scene() -> None:
        wakeup = AsyncWakeup()
        threading.Timer(0.01, wakeup.notify).start()
        await wakeup.wait(wakeup.count, LONG_S)

    asyncio.run(scene())


def test_a_task_loses_no_ring_between_looking_and_waiting() -> None:
    async def scene() -> None:
        wakeup = AsyncWakeup()
        seen = wakeup.count
        wakeup.notify()
        await wakeup.wait(seen, LONG_S)

    asyncio.run(scene())


def test_a_task_goes_on_in_the_very_turn_of_the_loop_that_a_ring_begins() -> None:
    async def scene() -> None:
        wakeup = AsyncWakeup()
        waiting = asyncio.ensure_future(wakeup.wait(wakeup.count, LONG_S))
        await asyncio.sleep(0)
        wakeup.notify()
        await asyncio.sleep(0)
        assert waiting.done()

    asyncio.run(scene())


def test_a_task_waits_no_longer_than_it_wants() -> None:
    async def scene() -> None:
        wakeup = AsyncWakeup()
        await wakeup.wait(wakeup.count, 0.001)

    asyncio.run(scene())


def test_one_ring_wakes_every_task_that_waits() -> None:
    async def scene() -> None:
        wakeup = AsyncWakeup()
        waiting = [asyncio.ensure_future(wakeup.wait(wakeup.count, LONG_S)) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        wakeup.notify()
        await asyncio.gather(*waiting[1:])
        assert waiting[0].cancelled()

    asyncio.run(scene())


def test_one_ring_wakes_every_thread_that_waits() -> None:
    wakeup, seen = ThreadWakeup(), 0
    waiting = [threading.Thread(target=wakeup.wait, args=(seen, LONG_S)) for _ in range(3)]
    for thread in waiting:
        thread.start()
    wakeup.notify()
    for thread in waiting:
        thread.join(LONG_S)
    assert not any(thread.is_alive() for thread in waiting)


def test_whoever_waited_long_enough_is_not_rung_for() -> None:
    wakeup = ThreadWakeup()
    wakeup.wait(wakeup.count, 0.001)
    wakeup.wait(wakeup.count, -1.0)
    wakeup.notify()
    wakeup.wait(0, LONG_S)
    assert wakeup.count == 1
