"""Threads that work beside the event loop: several for one task, and one for code of the application's own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest

from kafka_nextgen.assignors import AssignmentSpec, GroupAssignment
from kafka_nextgen.engine.member.local_assignors import AssignorThread, LocalAssignors
from kafka_nextgen.engine.reading.record_decoder import do_together
from tests.engine.own_assignor import Own
from tests.support.waiting import GUARD_S

# ---- several for one task


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(3) as threads:
        yield threads


def test_the_task_goes_on_when_the_last_has_ended(threads: ThreadPoolExecutor) -> None:
    together = threading.Barrier(3)
    ended: list[int] = []

    def work() -> None:
        ended.append(together.wait(GUARD_S))

    asyncio.run(do_together(threads, 3, work))
    assert sorted(ended) == [0, 1, 2]


def test_it_goes_on_in_the_turn_of_the_loop_that_hears_of_it() -> None:
    """By futures, what waits is woken in one turn and goes on in another."""

    async def turns(threads: ThreadPoolExecutor) -> int:
        loop, seen = asyncio.get_running_loop(), []

        async def together() -> None:
            await do_together(threads, 1, lambda: None)
            seen.append("went on")

        asyncio.ensure_future(together())  # noqa: RUF006
        await asyncio.sleep(0)  # the work begins
        threads.submit(lambda: loop.call_soon_threadsafe(seen.append, "the turn after")).result()
        while len(seen) < 2:
            await asyncio.sleep(0)
        return seen.index("went on")

    with ThreadPoolExecutor(1) as one:
        assert asyncio.run(turns(one)) == 0


def test_what_one_of_them_raises_is_raised_when_all_have_ended(threads: ThreadPoolExecutor) -> None:
    ended = threading.Semaphore(0)
    first = threading.Lock()

    def work() -> None:
        if first.acquire(blocking=False):
            raise ZeroDivisionError
        ended.release()

    with pytest.raises(ZeroDivisionError):
        asyncio.run(do_together(threads, 3, work))
    assert [ended.acquire(blocking=False) for _ in range(3)] == [True, True, False]


def test_those_that_never_begin_cancel_the_task() -> None:
    threads, busy = ThreadPoolExecutor(1), threading.Event()
    threads.submit(busy.wait, GUARD_S)

    async def wait() -> None:
        task = asyncio.ensure_future(do_together(threads, 2, lambda: None))
        await asyncio.sleep(0)
        threads.shutdown(wait=False, cancel_futures=True)
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(wait())
    busy.set()


async def test_a_task_that_does_not_wait_any_more_is_left_alone(threads: ThreadPoolExecutor) -> None:
    go_on, failures = threading.Event(), []

    asyncio.get_running_loop().set_exception_handler(lambda _, context: failures.append(context))
    task = asyncio.ensure_future(do_together(threads, 1, lambda: go_on.wait(GUARD_S)))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    go_on.set()
    threads.shutdown()  # the thread has ended, and told the loop
    await asyncio.sleep(0)
    assert failures == []


async def test_a_loop_that_is_closed_is_told_nothing(threads: ThreadPoolExecutor) -> None:
    go_on = threading.Event()

    asyncio.ensure_future(do_together(threads, 1, lambda: go_on.wait(GUARD_S)))  # noqa: RUF006
    await asyncio.sleep(0)
    go_on.set()
    threads.shutdown()  # the thread ends without an error


# ---- assignors, which take as long as they take


def test_what_is_asked_is_done_in_order_elsewhere_and_nobody_waits_meanwhile() -> None:
    may_end, seen = threading.Event(), list[str]()

    def first() -> str:
        may_end.wait(GUARD_S)
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
        ended = thread.do(lambda: may_end.wait(GUARD_S))
        ended.cancel()
        may_end.set()
        return await thread.do(lambda: thread.is_busy)

    assert asyncio.run(run())


def test_it_may_end_after_the_loop_that_asked() -> None:
    may_end, ended = threading.Event(), threading.Event()

    def work() -> None:
        may_end.wait(GUARD_S)

    async def run() -> AssignorThread:
        thread = AssignorThread("assignors")
        thread.do(work)
        thread.do(ended.set)
        return thread

    asyncio.run(run())
    may_end.set()
    assert ended.wait(GUARD_S)


async def test_an_assignor_that_computes_is_not_asked_for_its_metadata() -> None:
    """Or every heartbeat of the member would wait for it."""
    may_end, asked = threading.Event(), list[object]()

    def work(group: AssignmentSpec) -> GroupAssignment:
        may_end.wait(GUARD_S)
        return GroupAssignment({})

    config = SimpleNamespace(group_local_assignors=(Own(work=work),), group_id="billing")
    context: Any = SimpleNamespace(config=config, mailbox=None, tasks=SimpleNamespace(start=asked.append))
    own = LocalAssignors(context)
    computing = asyncio.ensure_future(own.compute("own", AssignmentSpec({}, {})))
    await asyncio.sleep(0)
    await own.ask_again(lambda: None)
    may_end.set()
    await computing
    own.stop()
    assert not asked
