"""The thread on which code of the application's own takes as long as it takes, and what does not wait for it."""

from __future__ import annotations

import asyncio
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from kafka_nextgen.assignors import AssignmentSpec, GroupAssignment
from kafka_nextgen.engine.member.local_assignors import AssignorThread, LocalAssignors
from tests.engine.own_assignor import Own


def test_what_is_asked_is_done_in_order_elsewhere_and_nobody_waits_meanwhile() -> None:
    may_end, seen = threading.Event(), list[str]()

    def first() -> str:
        may_end.wait(30)
        seen.append(threading.current_thread().name)
        return "first"

    async def run() -> tuple[str, str]:
        thread = AssignorThread("assignors")
        slow, quick = thread.do(first), thread.do(lambda: "quick")
        await asyncio.sleep(0)
        assert (thread.is_busy, slow.done(), quick.done()) == (True, False, False)
        may_end.set()
        outcome = await slow, await quick
        assert not thread.is_busy
        thread.stop()
        return outcome

    assert asyncio.run(run()) == ("first", "quick")
    assert seen == ["assignors"]


@pytest.mark.parametrize(("raised", "told"), [(ValueError("boom"), ValueError), (SystemExit(3), RuntimeError)])
def test_what_it_raises_is_told_and_the_thread_goes_on(raised: BaseException, told: type[Exception]) -> None:
    def fail() -> None:
        raise raised

    async def run() -> int:
        thread = AssignorThread("assignors")
        with pytest.raises(told):
            await thread.do(fail)
        return await thread.do(lambda: 7)

    assert asyncio.run(run()) == 7


def test_who_does_not_wait_any_more_is_not_told() -> None:
    may_end = threading.Event()

    async def run() -> bool:
        thread = AssignorThread("assignors")
        ended = thread.do(lambda: may_end.wait(30))
        ended.cancel()
        may_end.set()
        return await thread.do(lambda: thread.is_busy)

    assert asyncio.run(run())


def test_it_may_end_after_the_loop_that_asked() -> None:
    may_end, ended = threading.Event(), threading.Event()

    def work() -> None:
        may_end.wait(30)

    async def run() -> AssignorThread:
        thread = AssignorThread("assignors")
        thread.do(work)
        thread.do(ended.set)
        return thread

    asyncio.run(run())
    may_end.set()
    assert ended.wait(30)


def test_an_assignor_that_computes_is_not_asked_for_its_metadata() -> None:
    """Or every heartbeat of the member would wait for it."""
    may_end, asked = threading.Event(), list[object]()

    def work(group: AssignmentSpec) -> GroupAssignment:
        may_end.wait(30)
        return GroupAssignment({})

    async def run() -> None:
        config = SimpleNamespace(group_local_assignors=(Own(work=work),), group_id="billing")
        context: Any = SimpleNamespace(config=config, mailbox=None, tasks=SimpleNamespace(start=asked.append))
        own = LocalAssignors(context)
        computing = asyncio.ensure_future(own.compute("own", AssignmentSpec({}, {})))
        await asyncio.sleep(0)
        await own.ask_again(lambda: None)
        may_end.set()
        await computing
        own.stop()

    asyncio.run(run())
    assert not asked
