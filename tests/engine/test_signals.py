"""Whoever waits is woken, thread or task, and no ring is lost to him or to another."""

from __future__ import annotations

import asyncio
import threading

from kafka_nextgen.engine.application.signals import AsyncSignal, ThreadSignal

LONG_S = 60.0


def test_a_waiting_thread_is_woken() -> None:
    signal = ThreadSignal()
    seen = signal.rings
    threading.Timer(0.01, signal.ring).start()
    signal.wait(seen, LONG_S)
    assert signal.rings == seen + 1


def test_a_ring_between_looking_and_waiting_is_not_lost() -> None:
    signal = ThreadSignal()
    seen = signal.rings
    signal.ring()
    signal.wait(seen, LONG_S)


def test_a_ring_before_looking_does_not_count() -> None:
    signal = ThreadSignal()
    signal.ring()
    signal.wait(signal.rings, 0.001)  # returns because the time is over


def test_a_task_is_woken_from_another_thread() -> None:
    async def scene() -> None:
        signal = AsyncSignal()
        threading.Timer(0.01, signal.ring).start()
        await signal.wait(signal.rings, LONG_S)

    asyncio.run(scene())


def test_a_task_loses_no_ring_between_looking_and_waiting() -> None:
    async def scene() -> None:
        signal = AsyncSignal()
        seen = signal.rings
        signal.ring()
        await signal.wait(seen, LONG_S)

    asyncio.run(scene())


def test_a_task_goes_on_in_the_very_turn_of_the_loop_that_a_ring_begins() -> None:
    async def scene() -> None:
        signal = AsyncSignal()
        waiting = asyncio.ensure_future(signal.wait(signal.rings, LONG_S))
        await asyncio.sleep(0)
        signal.ring()
        await asyncio.sleep(0)
        assert waiting.done()

    asyncio.run(scene())


def test_a_task_waits_no_longer_than_it_wants() -> None:
    async def scene() -> None:
        signal = AsyncSignal()
        await signal.wait(signal.rings, 0.001)

    asyncio.run(scene())


def test_one_ring_wakes_every_task_that_waits() -> None:
    async def scene() -> None:
        signal = AsyncSignal()
        waiting = [asyncio.ensure_future(signal.wait(signal.rings, LONG_S)) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        signal.ring()
        await asyncio.gather(*waiting[1:])
        assert waiting[0].cancelled()

    asyncio.run(scene())


def test_one_ring_wakes_every_thread_that_waits() -> None:
    signal, seen = ThreadSignal(), 0
    waiting = [threading.Thread(target=signal.wait, args=(seen, LONG_S)) for _ in range(3)]
    for thread in waiting:
        thread.start()
    signal.ring()
    for thread in waiting:
        thread.join(LONG_S)
    assert not any(thread.is_alive() for thread in waiting)


def test_whoever_waited_long_enough_is_not_rung_for() -> None:
    signal = ThreadSignal()
    signal.wait(signal.rings, 0.001)
    signal.wait(signal.rings, -1.0)
    signal.ring()
    signal.wait(0, LONG_S)
    assert signal.rings == 1
