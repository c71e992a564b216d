"""A task that awaits an eager future resumes as soon as the result is set."""

from __future__ import annotations

import asyncio

import pytest

from kafka_nextgen.errors import DisconnectedError, RequestTimeoutError
from kafka_nextgen.transport.waiting import EagerFuture

from .scripted import turns


class Waiting:
    """A task that awaits a future and records the outcome."""

    def __init__(self) -> None:
        self.reply: EagerFuture[str] = EagerFuture()
        self.came: list[object] = []
        self.task = asyncio.ensure_future(self._wait())

    async def _wait(self) -> None:
        try:
            self.came.append(await self.reply)
        except asyncio.CancelledError:
            self.came.append("cancelled")
            raise
        except Exception as error:
            self.came.append(error)

    async def begun(self) -> Waiting:
        await turns(1)
        return self


async def outside_of_tasks(waiting: Waiting, answer: str) -> list[object]:
    """Set the result from a callback of the loop, as for sockets; what the task had recorded right after that."""
    seen: list[object] = []

    def bring() -> None:
        waiting.reply.set_result(answer)
        seen.extend(waiting.came)

    asyncio.get_running_loop().call_soon(bring)
    await waiting.task
    return seen


async def test_the_task_goes_on_before_whoever_brings_the_answer_does() -> None:
    waiting = await Waiting().begun()
    assert await outside_of_tasks(waiting, "answer") == ["answer"]
    assert waiting.came == ["answer"]


async def test_inside_of_another_task_it_goes_on_when_the_loop_turns() -> None:
    waiting = await Waiting().begun()
    waiting.reply.set_result("answer")
    assert waiting.came == []
    await waiting.task
    assert waiting.came == ["answer"]


async def test_an_answer_that_is_here_already_is_not_waited_for() -> None:
    waiting = Waiting()
    waiting.reply.set_result("answer")
    await waiting.task
    assert waiting.came == ["answer"]


async def test_a_failure_is_raised_when_the_loop_turns() -> None:
    waiting, failure = await Waiting().begun(), DisconnectedError("gone")
    waiting.reply.set_exception(failure)
    assert waiting.came == []
    await waiting.task
    assert waiting.came == [failure]


async def test_what_is_not_here_in_time_fails() -> None:
    waiting = await Waiting().begun()
    failure = RequestTimeoutError("late")
    waiting.reply.fail_at(0.0, lambda: failure)
    await waiting.task
    assert waiting.came == [failure]


async def test_what_came_in_time_does_not_fail_later() -> None:
    waiting = Waiting()
    waiting.reply.fail_at(0.0, lambda: RequestTimeoutError("late"))
    waiting.reply.set_result("answer")
    await waiting.task
    await turns(1)
    assert waiting.came == ["answer"]


async def test_a_task_that_is_cancelled_wants_no_answer_any_more() -> None:
    waiting = await Waiting().begun()
    waiting.task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting.task
    assert (waiting.came, waiting.reply.done(), waiting.reply.cancel()) == (["cancelled"], True, False)


async def test_an_answer_can_be_given_up_by_whoever_has_it() -> None:
    waiting = await Waiting().begun()
    assert waiting.reply.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting.task


async def test_only_one_task_awaits_it() -> None:
    waiting = await Waiting().begun()
    with pytest.raises(AssertionError, match="one task"):
        waiting.reply.add_done_callback(print)
    waiting.reply.set_result("answer")
    await waiting.task


@pytest.mark.parametrize("second", ["end", "cancel"])
async def test_a_task_that_was_not_woken_as_a_signal_handler_raised_is_woken_by_the_next_call(second: str) -> None:
    waiting = await Waiting().begun()
    asyncio.Future.set_result(waiting.reply, "answer")  # the handler raised before the rest of ``set_result``
    await turns(2)
    assert waiting.came == []
    getattr(waiting.reply, second)()
    await waiting.task
    assert waiting.came == ["answer"]
