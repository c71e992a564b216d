"""An alarm rings once, at the moment that was set last."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from kafka_nextgen.transport.alarm import Alarm


def rung(setting: Callable[[Alarm], None]) -> int:
    """How often it rang by the time that everything due has happened."""

    async def wait() -> int:
        rings: list[None] = []
        setting(Alarm(lambda: rings.append(None)))
        ends = asyncio.Event()
        asyncio.get_running_loop().call_later(0.05, ends.set)
        await ends.wait()
        return len(rings)

    return asyncio.run(wait())


def test_a_moment_that_is_over_rings_as_soon_as_may_be() -> None:
    assert rung(lambda alarm: alarm.set(time.monotonic() - 1.0)) == 1


def test_a_negative_delay_rings_as_soon_as_may_be() -> None:
    assert rung(lambda alarm: alarm.set_after(-1.0)) == 1


def test_another_moment_takes_the_place_of_the_last() -> None:
    def twice(alarm: Alarm) -> None:
        alarm.set(time.monotonic())
        alarm.set(time.monotonic())

    def later(alarm: Alarm) -> None:
        alarm.set(time.monotonic())
        alarm.set(time.monotonic() + 60.0)

    def later_by_delay(alarm: Alarm) -> None:
        alarm.set(time.monotonic())
        alarm.set_after(60.0)

    assert (rung(twice), rung(later), rung(later_by_delay)) == (1, 0, 0)


def test_none_is_not_at_all() -> None:
    def withdrawn(alarm: Alarm) -> None:
        alarm.set(time.monotonic())
        alarm.set(None)

    assert rung(withdrawn) == 0
