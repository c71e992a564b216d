"""Waiting for an event: it is told whether it came, and who is cancelled meanwhile stays cancelled."""

from __future__ import annotations

import asyncio

import pytest

from kafka_nextgen.transport.deadline import set_within

from .scripted import in_loop


@in_loop
async def test_it_is_told_whether_the_event_came() -> None:
    event = asyncio.Event()
    assert not await set_within(event, 0)
    event.set()
    assert await set_within(event, 0)


@in_loop
async def test_a_cancellation_that_comes_together_with_the_event_is_not_forgotten() -> None:
    event = asyncio.Event()
    waiting = asyncio.ensure_future(set_within(event, 20))
    for _ in range(3):
        await asyncio.sleep(0)
    event.set()
    await asyncio.sleep(0)  # the event is heard of, but not yet by whoever waits for it
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
