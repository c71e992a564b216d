"""The I/O thread runs what it is handed, ends when told, and is no use to a child process."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import Future
from itertools import pairwise

import pytest

from kafka_nextgen import MisuseError
from kafka_nextgen.transport.io_thread import IoThread
from tests.support.forking import in_forked_process
from tests.support.waiting import GUARD_S

failures: list[Exception] = []


@pytest.fixture
def thread() -> Iterator[IoThread]:
    thread = IoThread("test", failures.append)
    yield thread
    thread.stop(GUARD_S)


async def answer() -> int:
    return 42


def test_work_runs_on_the_thread_and_its_result_comes_back_until_it_is_stopped(thread: IoThread) -> None:
    assert thread.submit(answer()).result(GUARD_S) == 42
    thread.stop(GUARD_S)
    with pytest.raises(MisuseError, match="closed"):
        thread.submit(answer())
    thread.stop(GUARD_S)  # a second stop is nothing


def test_it_ends_if_what_it_is_for_can_not_be_made(thread: IoThread) -> None:
    async def fail() -> None:
        raise OSError("no such file")

    assert thread.begin_with(answer()) == 42
    with pytest.raises(OSError, match="no such file"):
        thread.begin_with(fail())
    assert thread.has_ended


def test_work_under_way_is_cancelled_by_stop(thread: IoThread) -> None:
    forever = thread.submit(asyncio.Event().wait())
    thread.stop(GUARD_S)
    assert forever.cancelled()


def test_work_handed_over_last_is_settled_too(thread: IoThread) -> None:
    handed_over: list[Future[int]] = []

    def hand_over_and_stop() -> None:
        thread.end()
        handed_over.append(thread.submit(answer()))  # behind the stop: the loop has not ended yet

    thread.call_soon(hand_over_and_stop)
    thread.stop(GUARD_S)
    assert handed_over[0].cancelled() or handed_over[0].result(GUARD_S) == 42


def test_what_a_callback_on_the_loop_raises_is_reported() -> None:
    heard: list[Exception] = []
    thread = IoThread("test", heard.append)
    thread.call_soon(lambda: {}["nothing"])
    thread.stop(GUARD_S)
    assert [type(error) for error in heard] == [KeyError]


def test_a_forked_child_is_refused(thread: IoThread) -> None:
    def submit_in_child() -> None:
        with pytest.raises(MisuseError, match="fork"):
            thread.submit(answer())

    in_forked_process(submit_in_child)
    thread.stop(GUARD_S)


def test_thousands_of_things_to_do_let_others_in_between(thread: IoThread) -> None:
    began, seen = list[int](), [0]

    async def begin(number: int) -> None:
        began.append(number)

    def look() -> None:
        seen.append(len(began))
        if seen[-1] < 1000:
            asyncio.get_running_loop().call_soon(look)

    async def submit_all() -> list[Future[None]]:
        asyncio.get_running_loop().call_soon(look)
        return [thread.submit(begin(number)) for number in range(1000)]

    for each in thread.submit(submit_all()).result(GUARD_S):
        each.result(GUARD_S)
    thread.stop(GUARD_S)
    assert began == list(range(1000))
    assert max(after - before for before, after in pairwise(seen)) == 100


def test_what_is_called_after_submitted_work_finds_all_of_it_begun(thread: IoThread) -> None:
    began = list[int]()
    found: Future[int] = Future()

    async def begin(number: int) -> None:
        began.append(number)

    async def submit_all() -> None:
        for number in range(1000):
            thread.submit(begin(number))
        thread.call_after_submitted(lambda: found.set_result(len(began)))

    thread.submit(submit_all()).result(GUARD_S)
    assert found.result(GUARD_S) == 1000
    thread.stop(GUARD_S)
