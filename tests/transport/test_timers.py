"""A timer fires once, at the time that was set last; a lazy timer no later than its deadline, maybe earlier."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from kafka_nextgen.transport import waiting
from kafka_nextgen.transport.waiting import LazyTimer, Timer

from .scripted import now

#: What is set, in seconds from now, ``None`` being to withdraw it; and when it fires.
SETTINGS: dict[str, tuple[list[Callable[[Timer], None]], list[float]]] = {
    "a time that has passed": ([lambda timer: timer.set(now() - 1.0)], [0.0]),
    "a negative delay": ([lambda timer: timer.set_after(-1.0)], [0.0]),
    "a time to come": ([lambda timer: timer.set(now() + 60.0)], [60.0]),
    "the same time twice": ([lambda timer: timer.set(now())] * 2, [0.0]),
    "a later time": ([lambda timer: timer.set(now()), lambda timer: timer.set(now() + 60.0)], [60.0]),
    "a later time by a delay": ([lambda timer: timer.set(now()), lambda timer: timer.set_after(60.0)], [60.0]),
    "an earlier time": ([lambda timer: timer.set_after(60.0), lambda timer: timer.set_after(5.0)], [5.0]),
    "none any more": ([lambda timer: timer.set(now()), lambda timer: timer.set(None)], []),
}


@pytest.mark.parametrize(("settings", "fires"), SETTINGS.values(), ids=SETTINGS)
async def test_what_is_set_last_counts(settings: list[Callable[[Timer], None]], fires: list[float]) -> None:
    began, fired = now(), list[float]()
    timer = Timer(lambda: fired.append(now() - began))
    for setting in settings:
        setting(timer)
    await asyncio.sleep(3600.0)  # of turned time
    assert fired == pytest.approx(fires)


@pytest.mark.parametrize("kind", ["timer", "lazy timer"])
async def test_what_raises_is_called_again_and_the_loop_hears_of_it(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """Otherwise a member would stop sending heartbeats, or a connection would wait for ever."""
    told, fired, fired_twice = list[object](), list[float](), asyncio.Event()
    asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(repr(context["exception"])))
    began = now()

    def callback(*_: object) -> None:
        fired.append(now() - began)
        if len(fired) == 1:
            raise RuntimeError("nobody expected this")
        fired_twice.set()

    if kind == "timer":
        Timer(callback).set_after(0.0)
    else:
        LazyTimer(callback).fire_by(began)
    await fired_twice.wait()
    assert fired == pytest.approx([0.0, waiting.RETRY_S])
    assert told == ["RuntimeError('nobody expected this')"]


AN_HOUR_S = 3600.0


async def fires(tell: Callable[[LazyTimer, float], None]) -> tuple[list[float], float]:
    """When it was due to fire in the next second, and when it fires next; seconds from now."""
    began, fired = now(), list[float]()
    timer = LazyTimer(fired.append)
    tell(timer, began)
    await asyncio.sleep(1.0)  # of turned time
    fires_at = timer.at
    timer.stop()
    return [at - began for at in fired], fires_at - began


async def test_a_lazy_timer_moves_forward_and_not_back() -> None:
    def earlier(timer: LazyTimer, now: float) -> None:
        timer.fire_by(now + AN_HOUR_S)
        timer.fire_by(now)

    def later(timer: LazyTimer, now: float) -> None:
        timer.fire_by(now)
        timer.fire_by(now + AN_HOUR_S)

    assert await fires(earlier) == await fires(later) == ([0.0], float("inf"))


async def test_one_that_has_fired_can_be_set_again_and_one_that_is_stopped_never_fires() -> None:
    def again(timer: LazyTimer, now: float) -> None:
        timer.fire_by(now)
        asyncio.get_running_loop().call_later(0.5, timer.fire_by, now + AN_HOUR_S)

    def stopped(timer: LazyTimer, now: float) -> None:
        timer.fire_by(now)
        timer.stop()
        timer.fire_by(now - 1.0)

    assert await fires(again) == ([0.0], pytest.approx(AN_HOUR_S))
    assert await fires(stopped) == ([], float("-inf"))
