"""What a member asks reaches its coordinator in the order that matters, or not at all."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from types import SimpleNamespace

import pytest

from kafka_nextgen.engine.io_thread import TaskSet
from kafka_nextgen.engine.member.coordinator_requests import CoordinatorRequests
from kafka_nextgen.engine.member.member_driver import MemberDriver
from kafka_nextgen.membership.effects import Left

Send = Callable[[str], Coroutine[object, object, None]]


def sent(ask: Callable[[CoordinatorRequests, Send], None]) -> list[str]:
    """Return what is sent, by and by, of what is asked while nothing can be sent yet."""
    failures: list[Exception] = []

    async def scene() -> list[str]:
        arrived: list[str] = []
        coordinator_is_known = asyncio.Event()

        async def send(name: str) -> None:
            await coordinator_is_known.wait()
            arrived.append(name)

        tasks = TaskSet(failures.append)
        ask(CoordinatorRequests(tasks), send)
        await asyncio.sleep(0)
        coordinator_is_known.set()
        while tasks._tasks:
            await asyncio.sleep(0)
        return arrived

    arrived = asyncio.run(scene())
    assert failures == []
    return arrived


def all_asked(it: CoordinatorRequests, send: Send) -> None:
    it.join(send("join"))
    it.ask(send("heartbeat"))


def left_before_it_joined(it: CoordinatorRequests, send: Send) -> None:
    it.join(send("join"))
    it.leave(send("leave"))


def joined_again(it: CoordinatorRequests, send: Send) -> None:
    it.leave(send("leave"))
    it.join(send("join"))


def over_without_a_leave(it: CoordinatorRequests, send: Send) -> None:
    it.join(send("join"))
    it.cancel_pending()


def over_as_the_member_says(it: CoordinatorRequests, send: Send) -> None:
    it.join(send("join"))
    driver = SimpleNamespace(_exchanges=it, _left=asyncio.Event())
    MemberDriver.carry_out[Left](driver, Left())
    assert driver._left.is_set()


def over_with_a_leave(it: CoordinatorRequests, send: Send) -> None:
    it.leave(send("leave"))
    it.cancel_pending()


@pytest.mark.parametrize(
    ("ask", "arrives"),
    [
        (all_asked, ["join", "heartbeat"]),
        (left_before_it_joined, ["leave"]),
        (joined_again, ["join"]),
        (over_without_a_leave, []),
        (over_as_the_member_says, []),
        (over_with_a_leave, ["leave"]),
    ],
)
def test_what_is_asked_later_is_not_overtaken(
    ask: Callable[[CoordinatorRequests, Send], None], arrives: list[str]
) -> None:
    assert sent(ask) == arrives
