"""A lookout looks no later than it is told to; that it looks too early is all right."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from kafka_nextgen.transport.lookout import Lookout

AN_HOUR_S = 3600.0


def looks(tell: Callable[[Lookout, float], None]) -> tuple[list[float], float]:
    """When it was to look by the time that everything due has happened, and when it is to next; seconds from now on."""

    async def wait() -> tuple[list[float], float]:
        loop = asyncio.get_running_loop()
        looked: list[float] = []
        lookout, now, ends = Lookout(looked.append), loop.time(), asyncio.Event()
        tell(lookout, now)
        loop.call_later(0.05, ends.set)
        await ends.wait()
        lookout_at = lookout.at
        lookout.end()
        return [at - now for at in looked], lookout_at - now

    return asyncio.run(wait())


def test_what_is_due_sooner_is_looked_at_sooner() -> None:
    def tell(lookout: Lookout, now: float) -> None:
        lookout.by(now + AN_HOUR_S)
        lookout.by(now)

    assert looks(tell) == ([0.0], float("inf"))


def test_what_is_due_later_puts_nothing_off() -> None:
    def tell(lookout: Lookout, now: float) -> None:
        lookout.by(now)
        lookout.by(now + AN_HOUR_S)

    assert looks(tell) == ([0.0], float("inf"))


def test_one_that_has_looked_may_be_told_to_look_again() -> None:
    def tell(lookout: Lookout, now: float) -> None:
        lookout.by(now)
        asyncio.get_running_loop().call_later(0.01, lookout.by, now + AN_HOUR_S)

    looked, next_s = looks(tell)
    assert looked == [0.0]
    assert round(next_s) == AN_HOUR_S


def test_one_that_is_over_looks_no_more_whatever_is_due() -> None:
    def tell(lookout: Lookout, now: float) -> None:
        lookout.by(now)
        lookout.end()
        lookout.by(now - 1.0)

    assert looks(tell) == ([], float("-inf"))
