"""One caller at a time: the holder may come back in, another is refused with the names of both calls."""

from __future__ import annotations

import asyncio
import re
import sys
import threading
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import FrameType
from typing import Any

import pytest

from kafka_nextgen import ConcurrentUseError, Consumer, MisuseError
from kafka_nextgen.engine.application.call_guard import CallGuard, is_in_task, is_in_thread


class Caller:
    """Stands for a thread or task, so that one test can play several."""

    def __init__(self) -> None:
        self.name = "A"
        self.guard = CallGuard(lambda: self.name, lambda frame, name: is_in_thread(frame, threading.get_ident()))

    def try_enter(self, name: str, call: str) -> bool:
        self.name = name
        return self.guard.try_enter(call, sys._getframe(1))

    def leave(self) -> None:
        self.guard.leave(sys._getframe(1))


def test_another_caller_is_refused_and_told_who_is_inside() -> None:
    caller = Caller()
    assert caller.try_enter("A", "poll")
    assert not caller.try_enter("B", "commit")
    assert re.search(r"commit\(\).*inside poll\(\)", str(caller.guard.refusal("commit")))


def test_the_holder_may_come_back_in() -> None:
    caller = Caller()

    def commit() -> None:
        assert caller.try_enter("A", "commit")
        caller.leave()

    assert caller.try_enter("A", "poll")
    commit()
    assert not caller.try_enter("B", "poll")
    caller.leave()
    assert caller.try_enter("B", "poll")


def test_a_call_that_was_interrupted_on_its_way_out_is_over_with_its_frame() -> None:
    caller = Caller()

    def poll() -> None:
        assert caller.try_enter("A", "poll")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        poll()
    assert not caller.guard.is_held
    assert caller.try_enter("B", "poll")


def test_an_error_inside_frees_the_consumer() -> None:
    with Consumer({"bootstrap.servers": "127.0.0.1:1"}) as consumer, ThreadPoolExecutor(1) as elsewhere:
        for caller in (consumer.poll, lambda: elsewhere.submit(consumer.poll).result()):
            with pytest.raises(MisuseError, match="nothing to read"):
                caller()


def test_a_call_inside_one_of_the_same_name_leaves_that_to_its_caller() -> None:
    with Consumer({"bootstrap.servers": "127.0.0.1:1"}) as consumer, ThreadPoolExecutor(1) as elsewhere:
        with consumer._use_alone("poll"):
            with pytest.raises(MisuseError, match="nothing to read"):
                consumer.poll()  # as a signal handler may
            with pytest.raises(ConcurrentUseError, match=r"inside poll\(\)"):
                elsewhere.submit(consumer.poll).result()
        with pytest.raises(MisuseError, match="nothing to read"):
            elsewhere.submit(consumer.poll).result()


# ---- whether a call is still under way


class Call(threading.Thread):
    """One that is under way in its own thread until ``end`` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.began, self.end = threading.Event(), threading.Event()

    def run(self) -> None:
        self.frame = sys._getframe()
        self.began.set()
        self.end.wait()


def suspended() -> FrameType:
    """The frame of a generator that has yielded."""

    def steps() -> Iterator[int]:
        yield 1

    generator = steps()
    next(generator)
    kept.append(generator)
    return generator.gi_frame  # type: ignore[attr-defined,no-any-return]


kept: list[Iterator[int]] = []


@pytest.fixture
def call() -> Iterator[Call]:
    call = Call()
    call.start()
    call.began.wait()
    yield call
    call.end.set()
    call.join()


def test_a_look_that_ends_at_a_generator_which_was_suspended_meanwhile_is_repeated(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = sys._current_frames()
    looks = iter([{call.ident: suspended()}, there])
    monkeypatch.setattr(sys, "_current_frames", lambda: next(looks))
    assert is_in_thread(call.frame, call.ident)
    assert next(looks, None) is None


def test_a_thread_counts_as_inside_if_no_look_tells(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    torn = {call.ident: suspended()}
    monkeypatch.setattr(sys, "_current_frames", lambda: torn)
    assert is_in_thread(call.frame, call.ident)


def test_a_thread_that_has_left_a_frame_or_has_ended_is_not_inside(call: Call) -> None:
    assert not is_in_thread(sys._getframe(), call.ident)
    call.end.set()
    call.join()
    assert not is_in_thread(call.frame, call.ident)


class Lazy:
    """Something of the application's that awaits a call in a generator."""

    def __init__(self, call: Any) -> None:
        self._call = call

    def __await__(self) -> Generator[object, None, None]:
        yield from self._call.__await__()


async def test_a_task_that_awaits_a_call_by_way_of_a_generator_is_inside() -> None:
    frames: list[FrameType] = []

    async def poll() -> None:
        frames.append(sys._getframe())
        await asyncio.Event().wait()

    async def use() -> None:
        await Lazy(poll())

    task = asyncio.ensure_future(use())
    await asyncio.sleep(0)
    assert is_in_task(frames[0], task)
    task.cancel()
    await asyncio.wait([task])
    assert not is_in_task(frames[0], task)


@pytest.mark.parametrize("rest", [asyncio.sleep, lambda delay_s: asyncio.Event().wait()])
async def test_a_task_that_waits_elsewhere_is_not_inside(rest: Any) -> None:
    task = asyncio.ensure_future(rest(0))
    await asyncio.sleep(0)
    assert not is_in_task(sys._getframe(), task)
    task.cancel()
    await asyncio.wait([task])
