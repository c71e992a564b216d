"""A timer fires once, at the time that was set last; a lazy timer no later than its deadline, maybe earlier."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import pytest

from kafka_nextgen.transport import timers
from kafka_nextgen.transport.timers import LazyTimer, Timer


def count_fires(setting: Callable[[Timer], None]) -> int:
    """How many times it fires within 50 ms."""

    async def wait() -> int:
        fired: list[None] = []
        setting(Timer(lambda: fired.append(None)))
        ends = asyncio.Event()
        asyncio.get_running_loop().call_later(0.05, ends.set)
        await ends.wait()
        return len(fired)

    return asyncio.run(wait())


def test_a_time_that_has_passed_fires_soon() -> None:
    assert count_fires(lambda timer: timer.set(time.monotonic() - 1.0)) == 1


def test_a_negative_delay_fires_soon() -> None:
    assert count_fires(lambda timer: timer.set_after(-1.0)) == 1


def test_a_new_time_replaces_the_last() -> None:
    def twice(timer: Timer) -> None:
        timer.set(time.monotonic())
        timer.set(time.monotonic())

    def later(timer: Timer) -> None:
        timer.set(time.monotonic())
        timer.set(time.monotonic() + 60.0)

    def later_by_delay(timer: Timer) -> None:
        timer.set(time.monotonic())
        timer.set_after(60.0)

    assert (count_fires(twice), count_fires(later), count_fires(later_by_delay)) == (1, 0, 0)


def test_none_cancels_it() -> None:
    def withdrawn(timer: Timer) -> None:
        timer.set(time.monotonic())
        timer.set(None)

    assert count_fires(withdrawn) == 0


@pytest.mark.parametrize("kind", ["timer", "lazy timer"])
def test_what_raises_is_called_again_and_the_loop_hears_of_it(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """Otherwise a member would stop sending heartbeats, or a connection would wait for ever."""
    monkeypatch.setattr(timers, "RETRY_S", 0.0)
    told: list[object] = []

    async def wait() -> int:
        loop, fired, fired_twice = asyncio.get_running_loop(), list[None](), asyncio.Event()
        loop.set_exception_handler(lambda _, context: told.append(context["exception"]))

        def callback(*_: object) -> None:
            fired.append(None)
            if len(fired) == 1:
                raise RuntimeError("nobody expected this")
            fired_twice.set()

        if kind == "timer":
            Timer(callback).set_after(0.0)
        else:
            LazyTimer(callback).fire_by(loop.time())
        await asyncio.wait_for(fired_twice.wait(), 10)
        return len(fired)

    assert asyncio.run(wait()) == 2
    assert [repr(error) for error in told] == ["RuntimeError('nobody expected this')"]


AN_HOUR_S = 3600.0


def fires(tell: Callable[[LazyTimer, float], None]) -> tuple[list[float], float]:
    """When it was due to fire so far, and when it fires next; seconds from now."""

    async def wait() -> tuple[list[float], float]:
        loop = asyncio.get_running_loop()
        fired: list[float] = []
        timer, now, ends = LazyTimer(fired.append), loop.time(), asyncio.Event()
        tell(timer, now)
        loop.call_later(0.05, ends.set)
        await ends.wait()
        fires_at = timer.at
        timer.stop()
        return [at - now for at in fired], fires_at - now

    return asyncio.run(wait())


def test_an_earlier_deadline_moves_it_forward() -> None:
    def tell(timer: LazyTimer, now: float) -> None:
        timer.fire_by(now + AN_HOUR_S)
        timer.fire_by(now)

    assert fires(tell) == ([0.0], float("inf"))


def test_a_later_deadline_does_not_move_it_back() -> None:
    def tell(timer: LazyTimer, now: float) -> None:
        timer.fire_by(now)
        timer.fire_by(now + AN_HOUR_S)

    assert fires(tell) == ([0.0], float("inf"))


def test_one_that_has_fired_can_be_set_again() -> None:
    def tell(timer: LazyTimer, now: float) -> None:
        timer.fire_by(now)
        asyncio.get_running_loop().call_later(0.01, timer.fire_by, now + AN_HOUR_S)

    fired, next_s = fires(tell)
    assert fired == [0.0]
    assert round(next_s) == AN_HOUR_S


def test_one_that_is_stopped_never_fires() -> None:
    def tell(timer: LazyTimer, now: float) -> None:
        timer.fire_by(now)
        timer.stop()
        timer.fire_by(now - 1.0)

    assert fires(tell) == ([], float("-inf"))
