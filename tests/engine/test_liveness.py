"""Whether a call is still under way, where its thread goes on meanwhile or its task awaits it by way of a generator."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Generator, Iterator
from types import FrameType
from typing import Any

import pytest

from kafka_nextgen.engine.application.call_guard import is_in_task, is_in_thread


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


def test_a_task_that_awaits_a_call_by_way_of_a_generator_is_inside() -> None:
    async def scene() -> None:
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

    asyncio.run(scene())


@pytest.mark.parametrize("rest", [asyncio.sleep, lambda delay_s: asyncio.Event().wait()])
def test_a_task_that_waits_elsewhere_is_not_inside(rest: Any) -> None:
    async def scene() -> None:
        task = asyncio.ensure_future(rest(0))
        await asyncio.sleep(0)
        assert not is_in_task(sys._getframe(), task)
        task.cancel()
        await asyncio.wait([task])

    asyncio.run(scene())
