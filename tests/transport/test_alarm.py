"""An alarm rings once, at the moment that was set last."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import pytest

from kafka_nextgen.transport import alarm as alarms
from kafka_nextgen.transport import lookout as lookouts
from kafka_nextgen.transport.alarm import Alarm
from kafka_nextgen.transport.lookout import Lookout


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


@pytest.mark.parametrize("kind", ["alarm", "lookout"])
def test_what_raises_is_called_again_and_the_loop_hears_of_it(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """Otherwise a member would send no heartbeat any more, or a connection would wait for ever."""
    monkeypatch.setattr(alarms, "AGAIN_S", 0.0)
    monkeypatch.setattr(lookouts, "AGAIN_S", 0.0)
    told: list[object] = []

    async def wait() -> int:
        loop, rings, rang_twice = asyncio.get_running_loop(), list[None](), asyncio.Event()
        loop.set_exception_handler(lambda _, context: told.append(context["exception"]))

        def ring(*_: object) -> None:
            rings.append(None)
            if len(rings) == 1:
                raise RuntimeError("nobody expected this")
            rang_twice.set()

        if kind == "alarm":
            Alarm(ring).set_after(0.0)
        else:
            Lookout(ring).by(loop.time())
        await asyncio.wait_for(rang_twice.wait(), 10)
        return len(rings)

    assert asyncio.run(wait()) == 2
    assert [repr(error) for error in told] == ["RuntimeError('nobody expected this')"]
