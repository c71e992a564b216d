"""Waiting for the I/O thread: its results, its errors, and its end; cancelling work, or leaving it alone."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future

import pytest

from kafka_nextgen import MisuseError, RequestTimeoutError
from kafka_nextgen.engine import futures
from kafka_nextgen.engine.futures import await_completion, await_result, is_outcome, wait_for_result


def failed(error: Exception) -> Future[None]:
    future: Future[None] = Future()
    future.set_exception(error)
    return future


def cancelled() -> Future[None]:
    future: Future[None] = Future()
    future.cancel()
    future.set_running_or_notify_cancel()
    return future


def test_a_timeout_of_the_work_itself_keeps_its_words() -> None:
    with pytest.raises(RequestTimeoutError, match="commit of orders"):
        wait_for_result(failed(RequestTimeoutError("commit of orders[0]: not done within 1 s")))


def test_a_thread_that_is_stuck_is_told_from_work_that_is_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(futures, "HANDSHAKE_LIMIT_S", 0.01)
    stuck: Future[None] = Future()
    with pytest.raises(RequestTimeoutError, match="I/O thread"):
        wait_for_result(stuck)
    assert stuck.cancelled()
    with pytest.raises(RequestTimeoutError, match="I/O thread"):
        asyncio.run(await_completion(Future()))


def test_work_that_takes_its_time_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(futures, "LONGEST_SLEEP_S", 0.01)
    slow: Future[str] = Future()
    ends = threading.Timer(0.1, slow.set_result, ["done"])
    ends.start()
    assert wait_for_result(slow) == "done"
    ends.join()


def test_work_that_closing_cancelled_is_not_a_cancellation_of_the_caller() -> None:
    with pytest.raises(MisuseError, match="closed during the call"):
        wait_for_result(cancelled())
    with pytest.raises(MisuseError, match="closed during the call"):
        asyncio.run(await_result(cancelled()))


async def cancel_while_waiting(waiting_for: asyncio.Task[None]) -> None:
    await asyncio.sleep(0)
    waiting_for.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting_for


def test_whoever_is_cancelled_cancels_the_work() -> None:
    async def scene() -> None:
        work: Future[None] = Future()
        await cancel_while_waiting(asyncio.ensure_future(await_result(work)))
        assert work.cancelled()

    asyncio.run(scene())


def test_what_must_not_be_lost_goes_on_when_its_caller_is_cancelled() -> None:
    async def scene() -> None:
        work: Future[None] = Future()
        await cancel_while_waiting(asyncio.ensure_future(await_completion(work)))
        assert not work.cancelled()
        work.set_result(None)
        await asyncio.sleep(0)

    asyncio.run(scene())


def test_how_the_work_ended_is_told_from_what_a_signal_handler_raised_meanwhile() -> None:
    failure = ValueError("how it ended")
    ended = failed(failure)
    assert is_outcome(failure, ended)
    assert is_outcome(RequestTimeoutError("of this library"), Future())
    assert not is_outcome(ValueError("raised by a handler"), ended)
    assert not is_outcome(ValueError("raised by a handler"), Future())


def test_also_if_the_work_was_cancelled() -> None:
    assert not is_outcome(ValueError("raised by a handler"), cancelled())
