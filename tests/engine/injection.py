"""Raises in the midst of a consumer's calls, wherever a signal handler may: at each function entry, after calls into C.

``python -m tests.engine.injection`` tries each such place of each call, and prints what came of it.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest
from attrs import define, field

import kafka_nextgen
from kafka_nextgen import AsyncConsumer, Consumer, Record
from kafka_nextgen.testing import Cluster
from tests.engine.calls import CALLS
from tests.engine.stage import PATIENCE_S, SETTINGS, TOPIC, Stage, tp

__all__ = ["ASYNC_CALLS", "SYNC_CALLS", "AsyncReader", "InjectedError", "Injection", "Reader", "injected", "try_all"]

PACKAGE = str(Path(kafka_nextgen.__file__).parent) + os.sep
#: What the event loop calls by itself. An exception there ends the task's own machinery, in any application.
LOOP_CALLBACKS = str(Path("transport", "reply.py"))


class InjectedError(Exception):
    """What a signal handler might raise."""


@define
class Injection:
    """Whether it has raised, and where; or how many places there were, up to the end of the function ``until``."""

    at: int
    until: str = ""
    places: int = 0
    where: str | None = None

    def look(self, frame: FrameType, event: str, _: object) -> None:
        """What ``sys.setprofile`` takes."""
        file = frame.f_code.co_filename
        if event == "return" and frame.f_code.co_name == self.until:
            sys.setprofile(None)
        if event not in ("call", "c_return") or not file.startswith(PACKAGE) or file.endswith(LOOP_CALLBACKS):
            return
        self.places += 1
        if self.places == self.at:
            sys.setprofile(None)
            self.where = f"{file.removeprefix(PACKAGE)}:{frame.f_lineno}, {event}"
            raise InjectedError(self.where)


@contextmanager
def injected(at: int) -> Iterator[Injection]:
    """Raise in this thread at the place with this number, from 1 on, that lies in the package."""
    injection = Injection(at)
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

    @classmethod
    def begin(cls, stage: Stage, **more: object) -> Reader:
        """One that has read from both partitions."""
        reader = cls(stage, stage.committed(), consumer=stage.consumer(**more))
        reader.consumer.subscribe([TOPIC])
        reader.consumer.metrics()  # imports what it needs when it is first called
        while len(reader.upcoming) < 2 or not reader.consumer.assignment():
            reader.read(1)
        return reader

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

    def go_on(self) -> None:
        """What an application does that has caught the exception: all of it works, and no record is missing."""
        assert not self.consumer._presence.is_inside, "close() would leave it to a call that is over"
        assert not self.consumer._guard.is_held, "others would be refused"
        self.read(2)
        self.consumer.commit(timeout=10)
        self.check_committed()

    def end(self) -> None:
        """Close, and be gone from the group."""
        self.consumer.close()
        assert self.consumer._is_closed
        assert not self.consumer._core.engine._thread._thread.is_alive()
        self.check_gone()


@define
class AsyncReader(_Log):
    """The same with an ``AsyncConsumer``."""

    consumer: AsyncConsumer = field(kw_only=True)

    @classmethod
    async def begin(cls, stage: Stage, **more: object) -> AsyncReader:
        """One that has read from both partitions."""
        reader = cls(stage, stage.committed(), consumer=AsyncConsumer(**stage.config(**more)))
        await reader.consumer.subscribe([TOPIC])
        while len(reader.upcoming) < 2 or not reader.consumer.assignment():
            await reader.read(1)
        return reader

    async def try_at(self, place: int, call: Callable[[AsyncConsumer], Coroutine[None, None, object]]) -> Injection:
        """Make the call, and raise there."""
        with injected(place) as injection:
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

    async def go_on(self) -> None:
        """What an application does that has caught the exception."""
        assert not self.consumer._guard.is_held, "others would be refused"
        await self.read(2)
        await self.consumer.commit(timeout=10)
        self.check_committed()

    async def end(self) -> None:
        """Close, and be gone from the group."""
        await self.consumer.close()
        assert self.consumer._is_closed
        assert not self.consumer._core.engine._thread._thread.is_alive()
        self.check_gone()


def looped(consumer: Consumer) -> Record:
    """The next record of a loop."""
    for record in consumer:
        return record
    raise AssertionError


#: Each call after which reading goes on where it was; ``close`` and those that give all up have tests of their own.
SYNC_CALLS: dict[str, Callable[[Consumer], object]] = {
    **{name: call for name, call in CALLS.items() if name not in {"run", "assign", "unsubscribe", "seek_to_end"}},
    "poll": lambda consumer: consumer.poll(max_records=2),
    "batches": lambda consumer: next(consumer.batches(max_records=2)),
    "for": looped,
    "seek": lambda consumer: consumer.seek(tp(), consumer.position(tp())),
    "seek_to_beginning": lambda consumer: consumer.seek_to_beginning([]),
    "resume": lambda consumer: (consumer.pause([tp()]), consumer.resume([tp()]))[1],
}
del SYNC_CALLS["pause"]


async def async_looped(consumer: AsyncConsumer) -> Record:
    """The next record of a loop."""
    async for record in consumer:
        return record
    raise AssertionError


async def async_resume(consumer: AsyncConsumer) -> None:
    """Pause and go on."""
    await consumer.pause([tp()])
    await consumer.resume([tp()])


async def async_seek(consumer: AsyncConsumer) -> None:
    """Go where it is already."""
    await consumer.seek(tp(), await consumer.position(tp()))


ASYNC_CALLS: dict[str, Callable[[AsyncConsumer], Coroutine[None, None, object]]] = {
    "subscribe": lambda consumer: consumer.subscribe([TOPIC]),
    "poll": lambda consumer: consumer.poll(max_records=2),
    "__anext__": lambda consumer: consumer.__anext__(),
    "async for": async_looped,
    "commit": lambda consumer: consumer.commit(),
    "committed": lambda consumer: consumer.committed([tp()]),
    "seek": async_seek,
    "resume": async_resume,
    "end_offsets": lambda consumer: consumer.end_offsets([tp()]),
    "partitions_for": lambda consumer: consumer.partitions_for(TOPIC),
}


def try_all(stage: Stage, call: Callable[[Consumer], object]) -> int:
    """Raise in each place of a call, one after the other, and go on each time; how many there were."""
    reader = Reader.begin(stage)
    place = 1
    while (injection := reader.try_at(place, call)).where is not None:
        try:
            reader.go_on()
        except BaseException as error:
            raise AssertionError(f"interrupted in {injection.where}") from error
        place += 1
    reader.end()
    return injection.places


async def try_all_async(stage: Stage, call: Callable[[AsyncConsumer], Coroutine[None, None, object]]) -> int:
    """The same for a call that is awaited."""
    reader = await AsyncReader.begin(stage)
    place = 1
    while (injection := await reader.try_at(place, call)).where is not None:
        try:
            await reader.go_on()
        except BaseException as error:
            raise AssertionError(f"interrupted in {injection.where}") from error
        place += 1
    await reader.end()
    return injection.places


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


@contextmanager
def full_stage() -> Iterator[Stage]:
    """A topic of two partitions with more records than anybody reads."""
    with (
        pytest.MonkeyPatch.context() as monkeypatch,
        Cluster(config={**SETTINGS, "group.initial.rebalance.delay.ms": "0"}) as cluster,
    ):
        stage = Stage(cluster, monkeypatch)
        stage.create(2, 10_000)
        cluster.create_topic("audit", 1)
        yield stage


def _report() -> None:
    print(f"{'call':<28}{'places':>8}{'unclosable':>12}{'records lost':>14}")
    with full_stage() as stage:
        trials: list[tuple[str, Callable[[], int]]] = [
            *((name, lambda call=call: try_all(stage, call)) for name, call in SYNC_CALLS.items()),  # type: ignore[misc]
            ("close", lambda: try_all_of_close(stage)),
            *(
                (f"AsyncConsumer.{name}", lambda call=call: asyncio.run(try_all_async(stage, call)))  # type: ignore[misc]
                for name, call in ASYNC_CALLS.items()
            ),
            ("AsyncConsumer.close", lambda: asyncio.run(try_all_of_async_close(stage))),
        ]
        for name, trial in trials:  # the first one that is unclosable, or loses a record, is an AssertionError
            print(f"{name:<28}{trial():>8}{0:>12}{0:>14}", flush=True)


if __name__ == "__main__":
    _report()
