"""Raises in the midst of a consumer's calls, wherever a signal handler may: at each function entry, after calls into C.

``python -m tests.engine.injection`` tries each such place of each call, and prints what came of it.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from attrs import define

import kafka_nextgen
from kafka_nextgen.transport.waiting import EagerFuture

PACKAGE = str(Path(kafka_nextgen.__file__).parent) + os.sep
#: What the event loop calls by itself. An exception there ends the task's own machinery, in any application.
LOOP_CALLBACKS = {method.__code__ for method in vars(EagerFuture).values() if inspect.isfunction(method)}


def _is_of_loop(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code in LOOP_CALLBACKS:
            return True
        frame = frame.f_back
    return False


_IS_RESUMED = inspect.CO_COROUTINE | inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR


def _is_resumed(frame: FrameType, event: str) -> bool:
    """Whether a coroutine or a generator goes on.

    Of the coroutines that wait for each other only the innermost gets a signal. And what a profile function raises
    there passes over the exception handlers of the generator, as no signal handler's exception does, and leaves its
    frame broken: CPython 3.11 crashes after some of these.
    """
    code = frame.f_code
    return event == "call" and bool(code.co_flags & _IS_RESUMED) and frame.f_lineno > code.co_firstlineno


class InjectedError(Exception):
    """What a signal handler might raise."""


@define
class Injection:
    """Whether it has raised, and where; or how many places there were, up to the end of the function ``until``."""

    at: int
    until: str = ""
    places: int = 0
    where: str | None = None
    is_in_reach: Callable[[], bool] = lambda: True
    under: str | tuple[str, ...] = PACKAGE
    make: Callable[[str], BaseException] = InjectedError

    def look(self, frame: FrameType, event: str, _: object) -> None:
        """What ``sys.setprofile`` takes."""
        file = frame.f_code.co_filename
        if event == "return" and frame.f_code.co_name == self.until:
            sys.setprofile(None)
        if event not in ("call", "c_return") or not file.startswith(self.under) or _is_of_loop(frame):
            return
        if _is_resumed(frame, event) or not self.is_in_reach():
            return
        self.places += 1
        if self.places == self.at:
            sys.setprofile(None)
            self.where = f"{file.removeprefix(PACKAGE)}:{frame.f_lineno}, {event}"
            raise self.make(self.where)


@contextmanager
def injected(
    at: int,
    is_in_reach: Callable[[], bool] = lambda: True,
    under: str | tuple[str, ...] = PACKAGE,
    make: Callable[[str], BaseException] = InjectedError,
) -> Iterator[Injection]:
    """Raise in this thread at the place with this number, from 1 on, that lies in the package and in reach.

    What is raised is what ``make`` makes of where it is; only files whose paths begin with ``under`` count.
    """
    injection = Injection(at, is_in_reach=is_in_reach, under=under, make=make)
    sys.setprofile(injection.look)
    try:
        yield injection
    finally:
        sys.setprofile(None)


def is_in_a_task() -> bool:
    """Not in a callback of the loop, which keeps to itself what is raised there, in any application."""
    return asyncio.current_task() is not None


if __name__ == "__main__":
    from tests.engine.interrupted_reader import report

    report()
