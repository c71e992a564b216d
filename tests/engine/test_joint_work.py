"""What several threads do for one task."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from kafka_nextgen.engine.reading.record_decoder import do_together


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(3) as threads:
        yield threads


def test_the_task_goes_on_when_the_last_has_ended(threads: ThreadPoolExecutor) -> None:
    together = threading.Barrier(3)
    ended: list[int] = []

    def work() -> None:
        ended.append(together.wait(10))

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
    threads.submit(busy.wait, 10)

    async def wait() -> None:
        task = asyncio.ensure_future(do_together(threads, 2, lambda: None))
        await asyncio.sleep(0)
        threads.shutdown(wait=False, cancel_futures=True)
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(wait())
    busy.set()


def test_a_task_that_does_not_wait_any_more_is_left_alone(threads: ThreadPoolExecutor) -> None:
    go_on, failures = threading.Event(), []

    async def wait() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: failures.append(context))
        task = asyncio.ensure_future(do_together(threads, 1, lambda: go_on.wait(10)))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        go_on.set()
        threads.shutdown()  # the thread has ended, and told the loop
        await asyncio.sleep(0)

    asyncio.run(wait())
    assert failures == []


def test_a_loop_that_is_closed_is_told_nothing(threads: ThreadPoolExecutor) -> None:
    go_on = threading.Event()

    async def leave() -> None:
        asyncio.ensure_future(do_together(threads, 1, lambda: go_on.wait(10)))  # noqa: RUF006
        await asyncio.sleep(0)

    asyncio.run(leave())
    go_on.set()
    threads.shutdown()  # the thread ends without an error
