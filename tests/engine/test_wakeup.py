"""Whoever waits, thread or task, is woken, and no ring is lost; and how it hears of results, errors and the end."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future

import pytest

from kafka_nextgen import MisuseError, RequestTimeoutError
from kafka_nextgen.engine.application.wakeup import AsyncWakeup, ThreadWakeup
from kafka_nextgen.transport import futures
from kafka_nextgen.transport.futures import await_completion, await_result, is_outcome, wait_for_result
from tests.support.waiting import GUARD_S

# ---- wakeups

Wakeup = ThreadWakeup | AsyncWakeup
FOREVER_S = 10 * GUARD_S
EITHER = pytest.mark.parametrize("kind", [ThreadWakeup, AsyncWakeup])


async def waits(wakeup: Wakeup, seen: int, timeout_s: float = FOREVER_S) -> None:
    if isinstance(wakeup, AsyncWakeup):
        await wakeup.wait(seen, timeout_s)
    else:
        await asyncio.to_thread(wakeup.wait, seen, timeout_s)


@EITHER
async def test_one_ring_from_another_thread_wakes_all_that_wait(kind: type[Wakeup]) -> None:
    wakeup = kind()
    waiting = [asyncio.ensure_future(waits(wakeup, wakeup.count)) for _ in range(3)]
    await asyncio.sleep(0)
    await asyncio.to_thread(wakeup.notify)
    await asyncio.gather(*waiting)
    assert wakeup.count == 1


@EITHER
async def test_a_ring_between_looking_and_waiting_is_not_lost(kind: type[Wakeup]) -> None:
    wakeup = kind()
    seen = wakeup.count
    wakeup.notify()
    await waits(wakeup, seen)


@EITHER
async def test_a_ring_before_looking_does_not_count(kind: type[Wakeup]) -> None:
    wakeup = kind()
    wakeup.notify()
    await waits(wakeup, wakeup.count, 0.001)  # returns because the time is over


async def test_a_task_goes_on_in_the_very_turn_of_the_loop_that_a_ring_begins_whoever_is_cancelled() -> None:
    wakeup = AsyncWakeup()
    waiting, cancelled = [asyncio.ensure_future(waits(wakeup, wakeup.count)) for _ in range(2)]
    await asyncio.sleep(0)
    cancelled.cancel()
    wakeup.notify()
    await asyncio.sleep(0)
    assert waiting.done()


def test_whoever_waited_long_enough_is_not_rung_for() -> None:
    wakeup = ThreadWakeup()
    wakeup.wait(wakeup.count, 0.001)
    wakeup.wait(wakeup.count, -1.0)
    wakeup.notify()
    wakeup.wait(0, FOREVER_S)
    assert wakeup.count == 1


# ---- results of the I/O thread


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
        wait_for_result(failed(RequestTimeoutError("commit of orders[0]: timed out after 1 s")))


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


async def test_whoever_is_cancelled_cancels_the_work() -> None:
    work: Future[None] = Future()
    await cancel_while_waiting(asyncio.ensure_future(await_result(work)))
    assert work.cancelled()


async def test_what_must_not_be_lost_goes_on_when_its_caller_is_cancelled() -> None:
    work: Future[None] = Future()
    await cancel_while_waiting(asyncio.ensure_future(await_completion(work)))
    assert not work.cancelled()
    work.set_result(None)
    await asyncio.sleep(0)


def test_how_the_work_ended_is_told_from_what_a_signal_handler_raised_meanwhile() -> None:
    failure = ValueError("how it ended")
    ended = failed(failure)
    assert is_outcome(failure, ended)
    assert is_outcome(RequestTimeoutError("of this library"), Future())
    assert not is_outcome(ValueError("raised by a handler"), ended)
    assert not is_outcome(ValueError("raised by a handler"), Future())


def test_also_if_the_work_was_cancelled() -> None:
    assert not is_outcome(ValueError("raised by a handler"), cancelled())
