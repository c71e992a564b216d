"""What a member asks reaches its coordinator in the order that matters, or not at all."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from kafka_nextgen.engine.member.coordinator_requests import CoordinatorRequests
from kafka_nextgen.engine.member.member_driver import MemberDriver
from kafka_nextgen.membership.effects import Left
from kafka_nextgen.transport.io_thread import TaskSet


async def sent(asked: str) -> list[str]:
    """Return what is sent, by and by, of what is asked while nothing can be sent yet."""
    failures: list[Exception] = []
    arrived: list[str] = []
    coordinator_is_known = asyncio.Event()

    async def send(name: str) -> None:
        await coordinator_is_known.wait()
        arrived.append(name)

    tasks = TaskSet(failures.append)
    requests = CoordinatorRequests(tasks)
    driver = SimpleNamespace(_exchanges=requests, _left=asyncio.Event())
    ways: dict[str, Callable[[], object]] = {
        "join": lambda: requests.join(send("join")),
        "heartbeat": lambda: requests.ask(send("heartbeat")),
        "leave": lambda: requests.leave(send("leave")),
        "is over": requests.cancel_pending,
        "has left": lambda: MemberDriver.carry_out[Left](driver, Left()),
    }
    for each in asked.split(", "):
        ways[each]()
    await asyncio.sleep(0)
    coordinator_is_known.set()
    while tasks._tasks:
        await asyncio.sleep(0)
    assert failures == []
    assert driver._left.is_set() == ("has left" in asked)
    return arrived


@pytest.mark.parametrize(
    ("asked", "arrives"),
    [
        ("join, heartbeat", ["join", "heartbeat"]),
        ("join, leave", ["leave"]),
        ("leave, join", ["join"]),
        ("join, is over", []),
        ("join, has left", []),
        ("leave, is over", ["leave"]),
    ],
)
async def test_what_is_asked_later_is_not_overtaken(asked: str, arrives: list[str]) -> None:
    assert await sent(asked) == arrives
