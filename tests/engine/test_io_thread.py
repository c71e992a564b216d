"""The I/O thread runs what it is handed, ends when told, and is no use to a child process."""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import Future
from itertools import pairwise

import pytest

from kafka_nextgen import MisuseError
from kafka_nextgen.engine.io_thread import IoThread

failures: list[Exception] = []


async def answer() -> int:
    return 42


def test_work_runs_on_the_thread_and_its_result_comes_back() -> None:
    thread = IoThread("test", failures.append)
    assert thread.submit(answer()).result(10) == 42
    thread.stop(10)


def test_after_stop_it_says_that_the_consumer_is_closed() -> None:
    thread = IoThread("test", failures.append)
    thread.stop(10)
    with pytest.raises(MisuseError, match="closed"):
        thread.submit(answer())
    thread.stop(10)  # a second stop is nothing


def test_it_ends_if_what_it_is_for_can_not_be_made() -> None:
    async def fail() -> None:
        raise OSError("no such file")

    thread = IoThread("test", failures.append)
    assert thread.begin_with(answer()) == 42
    with pytest.raises(OSError, match="no such file"):
        thread.begin_with(fail())
    assert thread.has_ended


def test_work_under_way_is_cancelled_by_stop() -> None:
    thread = IoThread("test", failures.append)
    forever = thread.submit(asyncio.sleep(3600))
    thread.stop(10)
    assert forever.cancelled()


def test_work_handed_over_last_is_settled_too() -> None:
    thread = IoThread("test", failures.append)
    handed_over: list[Future[int]] = []

    def hand_over_and_stop() -> None:
        thread.end()
        handed_over.append(thread.submit(answer()))  # behind the stop: the loop has not ended yet

    thread.call_soon(hand_over_and_stop)
    thread.stop(10)
    assert handed_over[0].cancelled() or handed_over[0].result(10) == 42


def test_what_a_callback_on_the_loop_raises_is_reported() -> None:
    heard: list[Exception] = []
    thread = IoThread("test", heard.append)
    thread.call_soon(lambda: {}["nothing"])
    thread.stop(10)
    assert [type(error) for error in heard] == [KeyError]


def test_a_forked_child_is_refused() -> None:
    thread = IoThread("test", failures.append)
    child = os.fork()
    if child == 0:
        try:
            thread.submit(answer())
        except MisuseError as error:
            os._exit(0 if "fork" in str(error) else 1)
        os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    thread.stop(10)


def test_thousands_of_things_to_do_let_others_in_between() -> None:
    thread, began, seen = IoThread("test", failures.append), list[int](), [0]

    async def begin(number: int) -> None:
        began.append(number)

    def look() -> None:
        seen.append(len(began))
        if seen[-1] < 1000:
            asyncio.get_running_loop().call_soon(look)

    async def submit_all() -> list[Future[None]]:
        asyncio.get_running_loop().call_soon(look)
        return [thread.submit(begin(number)) for number in range(1000)]

    for each in thread.submit(submit_all()).result(10):
        each.result(10)
    thread.stop(10)
    assert began == list(range(1000))
    assert max(after - before for before, after in pairwise(seen)) == 100


def test_what_is_called_after_submitted_work_finds_all_of_it_begun() -> None:
    thread, began = IoThread("test", failures.append), list[int]()
    found: Future[int] = Future()

    async def begin(number: int) -> None:
        began.append(number)

    async def submit_all() -> None:
        for number in range(1000):
            thread.submit(begin(number))
        thread.call_after_submitted(lambda: found.set_result(len(began)))

    thread.submit(submit_all()).result(10)
    assert found.result(10) == 1000
    thread.stop(10)
