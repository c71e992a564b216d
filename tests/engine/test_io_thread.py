"""The I/O thread runs what it is handed, ends when told, and is no use to a child process."""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import Future

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
