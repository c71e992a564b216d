"""Raises in the midst of a consumer's calls, wherever a signal handler may: at each function entry, after calls into C.

``python -m tests.engine.injection`` tries each such place of each call, and prints what came of it.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import sys
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import product
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from attrs import define, field

import kafka_nextgen
from kafka_nextgen import AsyncConsumer, Consumer, Record
from kafka_nextgen.processing.stopping import StopHandle
from kafka_nextgen.testing import Cluster
from tests.engine.injected_calls import (
    ASYNC_CALLS,
    ASYNC_READING,
    BY_HAND,
    DESERIALIZING,
    READING,
    SYNC_CALLS,
    UNDONE,
)
from tests.engine.stage import PATIENCE_S, SETTINGS, TOPIC, Stage, tp

__all__ = ["PACKAGE", "AsyncReader", "InjectedError", "Injection", "Reader", "full_stage", "injected", "is_in_a_task"]

PACKAGE = str(Path(kafka_nextgen.__file__).parent) + os.sep
#: What the event loop calls by itself. An exception there ends the task's own machinery, in any application.
LOOP_CALLBACKS = str(Path("transport", "eager_future.py"))


def _is_of_loop(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.endswith(LOOP_CALLBACKS):
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


@define
class _Log:
    """Which record of each partition has to come next."""

    stage: Stage
    upcoming: dict[int, int] = field(factory=dict)

    def note(self, handed_over: object) -> None:
        """Nothing may be left out, and nothing come twice."""
        records = [handed_over] if isinstance(handed_over, Record) else handed_over
        for record in records if isinstance(records, Iterable) else []:
            if isinstance(record, Record):
                assert record.offset == self.upcoming.get(record.partition, 0), f"{record.partition}: {self.upcoming}"
                self.upcoming[record.partition] = record.offset + 1

    def check_committed(self) -> None:
        """What was handed over, and nothing more."""
        assert self.stage.committed() == self.upcoming

    def check_gone(self) -> None:
        """Nobody is in the group."""
        deadline = time.monotonic() + PATIENCE_S
        while self.stage.members():
            assert time.monotonic() < deadline, "the member stays in its group"
            time.sleep(0.01)


@define
class Reader(_Log):
    """A consumer that goes on, whatever was raised."""

    consumer: Consumer = field(kw_only=True)
    is_by_hand: bool = False

    @classmethod
    def begin(cls, stage: Stage, is_by_hand: bool = False, **more: object) -> Reader:
        """One that has read from both partitions, and committed that."""
        reader = cls(stage, stage.committed(), consumer=stage.consumer(**more), is_by_hand=is_by_hand)
        reader.join()
        reader.consumer.metrics()  # imports what it needs when it is first called
        while len(reader.upcoming) < 2 or not reader.consumer.assignment():
            reader.read(1)
        reader.consumer.commit(timeout=10)
        return reader

    def join(self) -> None:
        """Read both partitions."""
        if self.is_by_hand:
            self.consumer.assign([tp(0), tp(1)])
        else:
            self.consumer.subscribe([TOPIC])

    def seek_back(self) -> None:
        """Go on where reading was."""
        for partition, offset in self.upcoming.items():
            self.consumer.seek(tp(partition), offset)

    def resume(self) -> None:
        """Pause nothing."""
        self.consumer.resume([tp()])

    def try_at(self, place: int, call: Callable[[Consumer], object]) -> Injection:
        """Make the call, and raise there."""
        with injected(place) as injection:
            try:
                result = call(self.consumer)
            except InjectedError:
                return injection
        self.note(result)
        return injection

    def read(self, count: int) -> None:
        """Go on until so many more have come."""
        deadline = time.monotonic() + PATIENCE_S
        while count > 0:
            assert time.monotonic() < deadline, f"nothing comes; {self.consumer.health()}"
            records = list(self.consumer.poll(timeout=0.5, max_records=count))
            self.note(records)
            count -= len(records)

    def go_on(self, undo: str | None = None) -> None:
        """What an application does that has caught the exception: all of it works, and no record is missing."""
        assert not self.consumer._calls.is_inside, "close() would leave it to a call that is over"
        assert not self.consumer._guard.is_held, "others would be refused"
        if undo is not None:
            getattr(self, undo)()
        self.read(2)
        self.consumer.commit(timeout=10)
        self.check_committed()

    def end(self) -> None:
        """Close, and be gone from the group."""
        self.consumer.close()
        assert self.consumer._is_closed
        assert not self.consumer._core.engine.thread._thread.is_alive()
        self.check_gone()


def is_in_a_task() -> bool:
    """Not in a callback of the loop, which keeps to itself what is raised there, in any application."""
    return asyncio.current_task() is not None


@define
class AsyncReader(_Log):
    """The same with an ``AsyncConsumer``."""

    consumer: AsyncConsumer = field(kw_only=True)
    is_by_hand: bool = False

    @classmethod
    async def begin(cls, stage: Stage, is_by_hand: bool = False, **more: object) -> AsyncReader:
        """One that has read from both partitions, and committed that."""
        consumer = AsyncConsumer(**stage.config(**more))
        reader = cls(stage, stage.committed(), consumer=consumer, is_by_hand=is_by_hand)
        await reader.join()
        consumer.metrics()  # imports what it needs when it is first called
        while len(reader.upcoming) < 2 or not consumer.assignment():
            await reader.read(1)
        await consumer.commit(timeout=10)
        return reader

    async def join(self) -> None:
        """Read both partitions."""
        if self.is_by_hand:
            await self.consumer.assign([tp(0), tp(1)])
        else:
            await self.consumer.subscribe([TOPIC])

    async def seek_back(self) -> None:
        """Go on where reading was."""
        for partition, offset in self.upcoming.items():
            await self.consumer.seek(tp(partition), offset)

    async def resume(self) -> None:
        """Pause nothing."""
        await self.consumer.resume([tp()])

    async def try_at(
        self,
        place: int,
        call: Callable[[AsyncConsumer], Coroutine[None, None, object]],
        is_in_reach: Callable[[], bool] = is_in_a_task,
    ) -> Injection:
        """Make the call, and raise there."""
        with injected(place, is_in_reach) as injection:
            try:
                result = await call(self.consumer)
            except InjectedError:
                return injection
        self.note(result)
        return injection

    async def read(self, count: int) -> None:
        """Go on until so many more have come."""
        deadline = time.monotonic() + PATIENCE_S
        while count > 0:
            assert time.monotonic() < deadline, f"nothing comes; {self.consumer.health()}"
            records = list(await self.consumer.poll(timeout=0.5, max_records=count))
            self.note(records)
            count -= len(records)

    async def go_on(self, undo: str | None = None) -> None:
        """What an application does that has caught the exception."""
        assert not self.consumer._guard.is_held, "others would be refused"
        if undo is not None:
            await getattr(self, undo)()
        await self.read(2)
        await self.consumer.commit(timeout=10)
        self.check_committed()

    async def end(self) -> None:
        """Close, and be gone from the group."""
        await self.consumer.close()
        assert self.consumer._is_closed
        assert not self.consumer._core.engine.thread._thread.is_alive()
        self.check_gone()


def try_all(stage: Stage, name: str, stride: int = 1) -> int:
    """Raise in each place of the call of this name, or every so many, and go on each time; how many there were."""
    reader = Reader.begin(stage, name in BY_HAND)
    place = 1
    while (injection := reader.try_at(place, SYNC_CALLS[name])).where is not None:
        try:
            reader.go_on(UNDONE.get(name))
        except BaseException as error:
            raise AssertionError(f"interrupted in {injection.where}") from error
        place += stride
    reader.end()
    return injection.places


async def try_all_async(stage: Stage, name: str, stride: int = 1) -> int:
    """The same for ``AsyncConsumer``."""
    reader = await AsyncReader.begin(stage, name in BY_HAND)
    place = 1
    while (injection := await reader.try_at(place, ASYNC_CALLS[name])).where is not None:
        try:
            await reader.go_on(UNDONE.get(name))
        except BaseException as error:
            raise AssertionError(f"interrupted in {injection.where}") from error
        place += stride
    await reader.end()
    return injection.places


def try_all_of_reading(stage: Stage, name: str, stride: int = 1) -> int:
    """The same with deserializers: raise in each place of reading, that of each record included."""
    reader = Reader.begin(stage, **DESERIALIZING)
    place = 1
    while (injection := reader.try_at(place, lambda consumer: READING[name](consumer, reader.note))).where is not None:
        try:
            reader.go_on()
        except BaseException as error:
            raise AssertionError(f"interrupted in {injection.where}") from error
        place += stride
    reader.end()
    return injection.places


async def try_all_of_async_reading(stage: Stage, name: str, stride: int = 1) -> int:
    """The same for ``AsyncConsumer``."""
    reader = await AsyncReader.begin(stage, **DESERIALIZING)
    place = 1
    while True:
        injection = await reader.try_at(place, lambda consumer: ASYNC_READING[name](consumer, reader.note))
        if injection.where is None:
            await reader.end()
            return injection.places
        try:
            await reader.go_on()
        except BaseException as error:
            raise AssertionError(f"interrupted in {injection.where}") from error
        place += stride


def try_all_of_close(stage: Stage, stride: int = 1) -> int:
    """Raise in each place of a close, or every so many, each of a consumer of its own, and close once more."""
    place = 1
    while True:
        reader = Reader.begin(stage, enable_auto_commit=True, auto_commit_interval_ms=3_600_000)
        injection = reader.try_at(place, lambda consumer: consumer.close())
        try:
            reader.end()
            reader.check_committed()
        except BaseException as error:
            raise AssertionError(f"interrupted in {injection.where}") from error
        if injection.where is None:
            return injection.places
        place += stride


async def try_all_of_async_close(stage: Stage, stride: int = 1) -> int:
    """The same for a close that is awaited."""
    place = 1
    while True:
        reader = await AsyncReader.begin(stage, enable_auto_commit=True, auto_commit_interval_ms=3_600_000)
        injection = await reader.try_at(place, lambda consumer: consumer.close())
        try:
            await reader.end()
            reader.check_committed()
        except BaseException as error:
            raise AssertionError(f"interrupted in {injection.where}") from error
        if injection.where is None:
            return injection.places
        place += stride


@define
class Handled:
    """Handles records until there were ``count``; each may come again, and none may be left out."""

    reader: Reader | AsyncReader
    count: int
    stop: StopHandle = field(factory=StopHandle)
    left: list[str] = field(factory=list)

    def __call__(self, record: Record) -> None:
        upcoming = self.reader.upcoming
        if record.offset > upcoming.get(record.partition, 0):
            self.left.append(f"{record.partition}: {upcoming} before {record.offset}")
        upcoming[record.partition] = max(record.offset + 1, upcoming.get(record.partition, 0))
        self.count -= 1
        if self.count <= 0:
            self.stop.stop()

    def run(self, consumer: Any) -> Any:
        """Have it called by a consumer, blocking or awaited."""
        return consumer.run(self, topics=[TOPIC], concurrency=1, stop=self.stop, stop_on_signals=False)


def try_all_of_run(stage: Stage, stride: int = 1) -> int:
    """Raise in each place of the polling thread of a run, or every so many, and run again, to the end."""
    reader = Reader.begin(stage, max_poll_records=4)
    place = 1
    while True:
        first = Handled(reader, 6)
        injection = reader.try_at(place, first.run)
        second = Handled(reader, 6)
        second.run(reader.consumer)
        assert not first.left + second.left, f"interrupted in {injection.where}: {first.left} {second.left}"
        if injection.where is None:
            reader.end()
            return injection.places
        place += stride


async def try_all_of_async_run(stage: Stage, stride: int = 1) -> int:
    """The same for a run that is awaited, in its own task: to the crew an exception in another is a handler's."""
    reader = await AsyncReader.begin(stage, max_poll_records=4)
    own, place = asyncio.current_task(), 1
    while True:
        first = Handled(reader, 6)
        injection = await reader.try_at(place, first.run, lambda: asyncio.current_task() is own)
        second = Handled(reader, 6)
        await second.run(reader.consumer)
        assert not first.left + second.left, f"interrupted in {injection.where}: {first.left} {second.left}"
        if injection.where is None:
            await reader.end()
            return injection.places
        place += stride


@contextmanager
def full_stage(records: int = 10_000) -> Iterator[Stage]:
    """A topic of two partitions with more records than are read."""
    with (
        pytest.MonkeyPatch.context() as monkeypatch,
        Cluster(config=SETTINGS) as cluster,
    ):
        stage = Stage(cluster, monkeypatch)
        stage.create(2, records)
        cluster.create_topic("audit", 1)
        yield stage


def _callback_trials(stage: Stage) -> Iterator[tuple[str, Callable[[], int]]]:
    from tests.engine.injected_callbacks import PROTOCOLS, Awaited, Blocking, try_all_of_callbacks

    for made, kind, protocol in product((Blocking, Awaited), ("assigned", "revoked", "lost"), PROTOCOLS):
        trial = partial(try_all_of_callbacks, stage, made, kind, protocol)
        yield f"{made.__name__}, {kind}, {protocol}", lambda trial=trial: asyncio.run(trial())  # type: ignore[misc]


def _report() -> None:
    from tests.engine.injected_log import logged_stage, trials_of_logs

    print(f"{'call':<48}{'places':>8}{'unclosable':>12}{'records lost':>14}")
    with full_stage(40_000) as stage:  # runs alone read 20,000 of each
        trials: list[tuple[str, Callable[[], int]]] = [
            *((name, partial(try_all, stage, name)) for name in SYNC_CALLS),
            ("run", lambda: try_all_of_run(stage)),
            ("close", lambda: try_all_of_close(stage)),
            *(
                (f"AsyncConsumer.{name}", lambda name=name: asyncio.run(try_all_async(stage, name)))
                for name in ASYNC_CALLS
            ),  # type: ignore[misc]
            *((f"{name}, deserialized", partial(try_all_of_reading, stage, name)) for name in READING),
            *(
                (
                    f"AsyncConsumer.{name}, deserialized",
                    lambda name=name: asyncio.run(try_all_of_async_reading(stage, name)),
                )
                for name in ASYNC_READING
            ),  # type: ignore[misc]
            ("AsyncConsumer.run", lambda: asyncio.run(try_all_of_async_run(stage))),
            *_callback_trials(stage),
            ("AsyncConsumer.close", lambda: asyncio.run(try_all_of_async_close(stage))),
        ]
        _print(trials)
    with logged_stage(40_000) as stage:
        _print([*trials_of_logs(stage), *_callback_trials(stage)], ", with a log")


def _print(trials: Iterable[tuple[str, Callable[[], int]]], more: str = "") -> None:
    for name, trial in trials:  # the first one that is unclosable, or loses a record, is an AssertionError
        print(f"{name + more:<48}{trial():>8}{0:>12}{0:>14}", flush=True)


if __name__ == "__main__":
    _report()
