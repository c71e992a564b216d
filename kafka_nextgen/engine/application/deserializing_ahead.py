"""Deserializes records before ``AsyncConsumer`` hands them over, so that no deserializer blocks the event loop.

A deserializer that is async, or that takes more than the bytes, may send requests to a registry. Nothing can be awaited
between two records of an iteration, so keys and values are deserialized in advance: a task awaits the async
deserializers and runs the others in a separate thread. A poll offers the records that are ready.

The task continues while no poll is in progress, and after a poll that timed out. So if a registry does not answer, only
the records wait: polls return in time, and heartbeats, callbacks and other tasks run. Results are kept until the record
is no longer offered. With ``on.deserialization.error=raise`` no record after a failed one is deserialized; the failed
one is tried again when it is offered again.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from contextvars import copy_context
from itertools import takewhile
from types import CoroutineType
from typing import TYPE_CHECKING, TypeVar

from kafka_nextgen import clocks
from kafka_nextgen.engine.application.deserializers import Deserializers, in_context
from kafka_nextgen.engine.application.record_run import record_rows
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.properties.deserialization import DeserializationPolicy, Deserializer
from kafka_nextgen.properties.deserializer_forms import form_of
from kafka_nextgen.transport.waiting import wait_for_event
from kafka_nextgen.types import Record
from kafka_nextgen.wire.records import ColumnSlice

if TYPE_CHECKING:
    from kafka_nextgen.config import ConsumerConfig

__all__ = ["MOST_AHEAD", "Ahead", "ReadyDeserializers"]

T = TypeVar("T")

#: The maximum number of records in an offer; each offer is compared with the ready records.
MOST_AHEAD = 1000
#: The longest time (seconds) that a poll with some ready records waits for more of them.
_GATHER_S = 0.1
#: How long (seconds) a thread deserializes, approximately, before it hands over its results.
_SLICE_S = 0.05
#: How long (seconds) coroutines that never wait may block other tasks of the event loop.
_BREATH_S = 0.005

_Place = tuple[str, int, int]


@frozen
class _Failure:
    """An exception raised by a deserializer."""

    cause: Exception


@frozen
class _Outcome:
    """A record as it was read, and its deserialized key and value."""

    record: Record
    key: object
    value: object

    @property
    def has_failed(self) -> bool:
        return isinstance(self.key, _Failure) or isinstance(self.value, _Failure)


@frozen
class ReadyDeserializers(Deserializers):
    """Deserializers that look up results computed in advance. They accept only the records that were ready."""

    ready: Mapping[_Place, _Outcome] = {}

    def _deserialize(self, deserializer: Deserializer, data: object, field: str, record: Record) -> object:
        outcome = self.ready[_place_of(record)]
        made = outcome.key if field == "key" else outcome.value
        if isinstance(made, _Failure):
            return self._failed(record, field, made.cause)
        return self._without(made, field, record) if isinstance(made, CoroutineType) else made


class _Side:
    """The deserializer of keys or values."""

    def __init__(self, deserializer: Deserializer | None, field: str) -> None:
        form = None if deserializer is None else form_of(deserializer)
        self._call = None if form is None else in_context(form, field)
        self.is_async = form is not None and form.is_async
        self._may_wait = form is not None and form.may_wait

    def make(self, data: object, record: Record) -> object:
        """Return the result of a deserializer that is not async, or its failure."""
        if self._call is None or not isinstance(data, bytes):
            return data
        try:
            return self._call(data, record)
        except Exception as cause:
            return _Failure(cause)

    async def await_made(self, data: object, record: Record) -> object:
        """Like ``make``, but with any deserializer, and without blocking the event loop."""
        if self._call is None or not self._may_wait or not isinstance(data, bytes):
            return self.make(data, record)
        if not self.is_async:
            return await _in_thread(lambda: self.make(data, record))
        try:
            return await self._call(data, record)
        except Exception as cause:
            return _Failure(cause)


class _Sides:
    """The two deserializers, and their settings."""

    def __init__(self, config: ConsumerConfig) -> None:
        self._given = config.key_deserializer, config.value_deserializer, config.on_deserialization_error
        self._key = _Side(config.key_deserializer, "key")
        self._value = _Side(config.value_deserializer, "value")
        self.are_async = self._key.is_async or self._value.is_async
        self._stops_at_failures = config.on_deserialization_error is DeserializationPolicy.RAISE

    def make(self, record: Record) -> _Outcome:
        """Deserialize a record, without coroutines; may block."""
        return _Outcome(record, self._key.make(record.key, record), self._value.make(record.value, record))

    async def await_made(self, record: Record) -> _Outcome:
        """Deserialize a record, without blocking the event loop."""
        key = await self._key.await_made(record.key, record)
        return _Outcome(record, key, await self._value.await_made(record.value, record))

    def is_last(self, outcome: _Outcome) -> bool:
        """Whether the records after this one must wait until it is handled."""
        return self._stops_at_failures and outcome.has_failed

    def ready(self, outcomes: Mapping[_Place, _Outcome]) -> ReadyDeserializers:
        """Return deserializers that look up these outcomes."""
        return ReadyDeserializers(*self._given, outcomes)


class _Work:
    """The task that deserializes records, one at a time, and stores the outcomes."""

    def __init__(self, sides: _Sides, outcomes: dict[_Place, _Outcome], news: asyncio.Event) -> None:
        self._sides = sides
        self._outcomes = outcomes
        self._news = news
        self._at: Record | None = None
        self._is_over = False
        #: The records to deserialize, in order; can be replaced while the task runs.
        self.wanted: list[Record] = []
        self.task: asyncio.Task[None] = asyncio.ensure_future(self._run())
        self.task.add_done_callback(lambda _: news.set())

    @property
    def is_unwanted(self) -> bool:
        """Whether the task is at a record that is no longer wanted; its deserializer may never return."""
        return self._at is not None and self._at not in self.wanted

    def stop(self) -> None:
        """Stop deserializing. A thread that is inside a deserializer ends when the deserializer returns."""
        self._is_over = True
        self.task.cancel()

    async def _run(self) -> None:
        paused_at = clocks.monotonic()
        while self.wanted:
            made = await (self._await_one() if self._sides.are_async else _in_thread(self._make_some))
            self._at = None
            self._outcomes.update((_place_of(outcome.record), outcome) for outcome in made)
            done = {_place_of(outcome.record) for outcome in made}
            self.wanted = [record for record in self.wanted if _place_of(record) not in done]
            self._news.set()
            if self._sides.is_last(made[-1]):
                return
            if clocks.monotonic() - paused_at > _BREATH_S:
                await asyncio.sleep(0)
                paused_at = clocks.monotonic()

    async def _await_one(self) -> list[_Outcome]:
        self._at = self.wanted[0]
        return [await self._sides.await_made(self._at)]

    def _make_some(self) -> list[_Outcome]:
        """Deserialize at least one record; runs in a thread."""
        ends_at, made = clocks.monotonic() + _SLICE_S, list[_Outcome]()
        for record in self.wanted:
            self._at = record
            made.append(self._sides.make(record))
            if self._is_over or self._sides.is_last(made[-1]) or clocks.monotonic() >= ends_at:
                break
        return made


class Ahead:
    """Deserializes ahead of one consumer's polls, on their event loop."""

    def __init__(self, config: ConsumerConfig) -> None:
        self._sides = _Sides(config)
        self._outcomes: dict[_Place, _Outcome] = {}
        self._work: _Work | None = None
        self._news = asyncio.Event()

    @classmethod
    def of(cls, config: ConsumerConfig) -> Ahead | None:
        """Create an ``Ahead`` for this configuration; None if no deserializer may block."""
        given = (each for each in (config.key_deserializer, config.value_deserializer) if each is not None)
        return cls(config) if any(form_of(each).may_wait for each in given) else None

    async def apply(self, record: Record) -> Record | None:
        """Deserialize one record, like ``Deserializers.apply``."""
        return self._sides.ready({_place_of(record): await self._sides.await_made(record)}).apply(record)

    def take_ready(self, parts: Sequence[ColumnSlice]) -> tuple[list[ColumnSlice], Deserializers]:
        """Return the first of these records that are ready, and their deserializers; the task works on the others."""
        offered = {_place_of(record): record for part in parts for record in _records_of(part)}
        known = {place: self._outcomes[place] for place in offered if place in self._outcomes}
        known = {place: outcome for place, outcome in known.items() if outcome.record == offered[place]}
        ready: dict[_Place, _Outcome] = {}
        is_over = False
        for place in takewhile(known.__contains__, offered):
            ready[place] = known[place]
            is_over = self._sides.is_last(known[place])
            if is_over:
                break
        self._keep(outcome for outcome in known.values() if not outcome.has_failed)
        self._work_on([] if is_over else [record for place, record in offered.items() if place not in known])
        return list(_first_of(parts, len(ready))), self._sides.ready(ready)

    async def wait(self, timeout_s: float) -> None:
        """Wait until a record is ready, and slightly longer for those after it."""
        deadline, work = clocks.monotonic() + timeout_s, self._work
        if work is None:
            return
        self._news.clear()
        if await wait_for_event(self._news, timeout_s) and not work.task.done():
            await asyncio.wait([work.task], timeout=max(0.0, min(_GATHER_S, deadline - clocks.monotonic())))

    def stop(self) -> None:
        """Stop deserializing."""
        work, self._work = self._work, None
        if work is not None:
            work.stop()

    def _keep(self, outcomes: Iterable[_Outcome]) -> None:
        """Forget all other outcomes: a failed record is tried again when it is offered again."""
        kept = {_place_of(outcome.record): outcome for outcome in outcomes}
        self._outcomes.clear()
        self._outcomes.update(kept)

    def _work_on(self, records: list[Record]) -> None:
        """Deserialize these records next. Raises the exception that ended the task, such as SystemExit."""
        work = self._work
        if work is not None:
            work.wanted = records
            if work.task.done():
                self._work = None
                if not work.task.cancelled():
                    work.task.result()
            elif work.is_unwanted:
                self.stop()
        if self._work is None and records:
            self._work = _Work(self._sides, self._outcomes, self._news)
            self._work.wanted = records


async def _in_thread(work: Callable[[], T]) -> T:
    """Run ``work`` in a daemon thread, which continues if the caller is cancelled."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def end(result: T | None, error: BaseException | None) -> None:
        if future.done():
            return
        if error is None:
            future.set_result(result)  # type: ignore[arg-type]  # None only if T is
        else:
            future.set_exception(error)

    def run() -> None:
        result: T | None = None
        failure: BaseException | None = None
        try:
            result = work()
        except BaseException as error:  # raised where the result is awaited
            failure = error
        with suppress(RuntimeError):  # the event loop is closed
            loop.call_soon_threadsafe(end, result, failure)

    context = copy_context()
    threading.Thread(target=context.run, args=(run,), name="kafka_nextgen deserializer", daemon=True).start()
    return await future


def _place_of(record: Record) -> _Place:
    return record.topic, record.partition, record.offset


def _records_of(part: ColumnSlice) -> Iterator[Record]:
    return iter(record_rows(part.columns, part.start, part.stop))


def _first_of(parts: Sequence[ColumnSlice], count: int) -> Iterator[ColumnSlice]:
    """Yield slices with the first ``count`` records."""
    for part in parts:
        taken = min(len(part), count)
        if taken:
            yield part if taken == len(part) else ColumnSlice(part.columns, part.start, part.start + taken)
        count -= taken
