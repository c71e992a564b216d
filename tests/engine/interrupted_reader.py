"""A reader of either kind that is interrupted in its calls and goes on: no record may be missing or come twice."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import product
from typing import Any

import pytest
from attrs import define, field

from kafka_nextgen import AsyncConsumer, Consumer, Record
from kafka_nextgen.processing.stopping import StopHandle
from kafka_nextgen.testing import Cluster
from tests.engine.injected_calls import BY_HAND, DESERIALIZING, READING, STORES, STORING, TRIED, UNDONE, result_of
from tests.engine.injection import InjectedError, Injection, injected, is_in_a_task
from tests.engine.stage import SETTINGS, TOPIC, Stage, tp
from tests.support.waiting import GUARD_S, eventually

Kind = type[Consumer] | type[AsyncConsumer]
KINDS: tuple[Kind, ...] = (Consumer, AsyncConsumer)
COMMITS_AT_CLOSE = {"enable_auto_commit": True, "auto_commit_interval_ms": 3_600_000}


@define
class Reader:
    """A consumer that goes on, whatever was raised; ``upcoming`` is which record of each partition has to come next."""

    stage: Stage
    consumer: Any
    upcoming: dict[int, int]
    is_by_hand: bool = False

    @classmethod
    async def begin(cls, stage: Stage, kind: Kind = Consumer, is_by_hand: bool = False, **more: object) -> Reader:
        """One that has read from both partitions, and committed that."""
        reader = cls(stage, kind(**stage.config(**more)), stage.committed(), is_by_hand)
        await reader.join()
        reader.consumer.metrics()  # imports what it needs when it is first called
        while len(reader.upcoming) < 2 or not reader.consumer.assignment():
            await reader.read(1)
        await reader.commit()
        return reader

    async def join(self) -> None:
        """Read both partitions."""
        join = partial(self.consumer.assign, [tp(0), tp(1)]) if self.is_by_hand else self._subscribe
        await result_of(join())

    def _subscribe(self) -> object:
        return self.consumer.subscribe([TOPIC])

    async def seek_back(self) -> None:
        """Go on where reading was."""
        for partition, offset in self.upcoming.items():
            await result_of(self.consumer.seek(tp(partition), offset))

    async def resume(self) -> None:
        await result_of(self.consumer.resume([tp()]))

    def note(self, handed_over: object) -> None:
        """Nothing may be left out, and nothing come twice."""
        records = [handed_over] if isinstance(handed_over, Record) else handed_over
        for record in records if isinstance(records, Iterable) else []:
            if isinstance(record, Record):
                assert record.offset == self.upcoming.get(record.partition, 0), f"{record.partition}: {self.upcoming}"
                self.upcoming[record.partition] = record.offset + 1

    async def try_at(
        self,
        place: int,
        call: Callable[[Reader], object],
        is_in_reach: Callable[[], bool] = is_in_a_task,
        error: type[BaseException] = InjectedError,
        **where: Any,
    ) -> Injection:
        """Make the call, and raise there."""
        with injected(place, is_in_reach, make=error, **where) as injection:
            try:
                result = await result_of(call(self))
            except error:
                return injection
        self.note(result)
        return injection

    async def read(self, count: int) -> None:
        """Go on until so many more have come."""
        deadline = time.monotonic() + GUARD_S
        while count > 0:
            assert time.monotonic() < deadline, f"nothing comes; {self.consumer.health()}"
            records = list(await result_of(self.consumer.poll(timeout=0.5, max_records=count)))
            self.note(records)
            count -= len(records)

    async def go_on(self, undo: str | None = None) -> None:
        """What an application does that has caught the exception: all of it works, and no record is missing."""
        calls = getattr(self.consumer, "_calls", None)
        assert calls is None or not calls.is_inside, "close() would leave it to a call that is over"
        assert not self.consumer._guard.is_held, "others would be refused"
        if undo is not None:
            await getattr(self, undo)()
        if self.stores:
            await self.check_stored()
        await self.read(2)
        await self.commit()
        self.check_committed()
        if self.stores:
            await self.read(2)  # for the next one to store

    @property
    def stores(self) -> bool:
        """Whether only what it stores is committed."""
        return not self.consumer.config.enable_auto_offset_store

    async def commit(self) -> None:
        """Commit all that was handed over."""
        if self.stores:
            self.consumer.store_offsets({tp(partition): offset for partition, offset in self.upcoming.items()})
        await result_of(self.consumer.commit(timeout=GUARD_S))

    async def check_stored(self) -> None:
        """Of each partition the interrupted call has stored all or nothing."""
        before = self.stage.committed()
        await result_of(self.consumer.commit(timeout=GUARD_S))
        for partition, offset in self.stage.committed().items():
            assert offset in (before[partition], self.upcoming[partition]), f"{partition}: {offset}"

    async def end(self) -> None:
        """Close, and be gone from the group."""
        await result_of(self.consumer.close())
        assert self.consumer._is_closed
        assert not self.consumer._core.engine.thread._thread.is_alive()
        self.check_gone()

    def check_committed(self) -> None:
        """What was handed over, and nothing more."""
        assert self.stage.committed() == self.upcoming

    def check_gone(self) -> None:
        eventually("nobody is in the group", lambda: not self.stage.members())


@contextmanager
def named(injection: Injection) -> Iterator[None]:
    """Say where it was interrupted if this fails."""
    try:
        yield
    except BaseException as error:
        raise AssertionError(f"interrupted in {injection.where}") from error


async def try_each(
    reader: Reader, call: Callable[[Reader], object], stride: int = 1, undo: str | None = None, **how: Any
) -> int:
    """Raise in each place of the call, or every so many, and go on each time; how many there were."""
    place = 1
    while (injection := await reader.try_at(place, call, **how)).where is not None:
        with named(injection):
            await reader.go_on(undo)
        place += stride
    await reader.end()
    return injection.places


async def try_call(stage: Stage, kind: Kind, name: str, stride: int = 1) -> int:
    reader = await Reader.begin(stage, kind, name in BY_HAND, **(STORES if name in STORING else {}))
    return await try_each(reader, lambda reader: TRIED[name](reader.consumer), stride, UNDONE.get(name))


async def try_reading(stage: Stage, kind: Kind, name: str, stride: int = 1) -> int:
    """The same with deserializers: raise in each place of reading, that of each record included."""
    reader = await Reader.begin(stage, kind, **DESERIALIZING)
    return await try_each(reader, lambda reader: READING[name](reader.consumer, reader.note), stride)


async def try_close(stage: Stage, kind: Kind, stride: int = 1) -> int:
    """Raise in each place of a close, or every so many, each of a consumer of its own, and close once more."""
    place = 1
    while True:
        reader = await Reader.begin(stage, kind, **COMMITS_AT_CLOSE)
        injection = await reader.try_at(place, lambda reader: reader.consumer.close())
        with named(injection):
            await reader.end()
            reader.check_committed()
        if injection.where is None:
            return injection.places
        place += stride


@define
class Handled:
    """Handles records until there were ``count``; each may come again, and none may be left out."""

    reader: Reader
    count: int = 6
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

    def run(self, reader: Reader) -> object:
        """Have it called by a consumer, blocking or awaited."""
        return reader.consumer.run(self, topics=[TOPIC], concurrency=1, stop=self.stop, stop_on_signals=False)


async def try_run(stage: Stage, kind: Kind, stride: int = 1) -> int:
    """Raise in each place of a run, or every so many, where it polls, and run again, to the end.

    That is in a run's own task or thread: to the crew, an exception in another is a handler's.
    """
    reader = await Reader.begin(stage, kind, max_poll_records=4)
    own, place = asyncio.current_task(), 1
    while True:
        first, second = Handled(reader), Handled(reader)
        injection = await reader.try_at(place, first.run, lambda: asyncio.current_task() is own)
        await result_of(second.run(reader))
        assert not first.left + second.left, f"interrupted in {injection.where}: {first.left} {second.left}"
        if injection.where is None:
            await reader.end()
            return injection.places
        place += stride


@contextmanager
def full_stage(records: int = 10_000) -> Iterator[Stage]:
    """A topic of two partitions with more records than are read."""
    with pytest.MonkeyPatch.context() as monkeypatch, Cluster(config=SETTINGS) as cluster:
        stage = Stage(cluster, monkeypatch)
        stage.create(2, records)
        cluster.create_topic("audit", 1)
        yield stage


Trial = tuple[str, Callable[[], Coroutine[None, None, int]]]


def _trials(stage: Stage) -> Iterator[Trial]:
    for kind in KINDS:
        for name in TRIED:
            yield f"{kind.__name__}.{name}", partial(try_call, stage, kind, name)
        for name in READING:
            yield f"{kind.__name__}.{name}, deserialized", partial(try_reading, stage, kind, name)
        yield f"{kind.__name__}.run", partial(try_run, stage, kind)
        yield f"{kind.__name__}.close", partial(try_close, stage, kind)


def _callback_trials(stage: Stage) -> Iterator[Trial]:
    from tests.engine.injected_callbacks import CALLERS, METHODS, PROTOCOLS, try_callback

    for (kind, made), method, protocol in product(CALLERS, METHODS, PROTOCOLS):
        trial = partial(try_callback, stage, kind, made, method, protocol)
        yield f"{kind.__name__}, {made.__name__}, {method}, {protocol}", trial


def report() -> None:
    from tests.engine.injected_log import logged_stage, trials_of_logs

    print(f"{'call':<48}{'places':>8}{'unclosable':>12}{'records lost':>14}")
    with full_stage(40_000) as stage:  # runs alone read 20,000 of each
        _print([*_trials(stage), *_callback_trials(stage)])
    with logged_stage(40_000) as stage:
        _print([*trials_of_logs(stage), *_callback_trials(stage)], ", with a log")


def _print(trials: Iterable[Trial], more: str = "") -> None:
    for name, trial in trials:  # the first one that is unclosable, or loses a record, is an AssertionError
        print(f"{name + more:<48}{asyncio.run(trial()):>8}{0:>12}{0:>14}", flush=True)
