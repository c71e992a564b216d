"""Raises in the hooks of a consumer that keeps an event log: what a signal handler raises there, no shield keeps."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.engine.injected_calls import ASYNC_CALLS, SYNC_CALLS
from tests.engine.injection import (
    PACKAGE,
    AsyncReader,
    Reader,
    full_stage,
    injected,
    try_all_of_async_close,
    try_all_of_close,
)
from tests.engine.stage import Stage

__all__ = [
    "ASYNC_TELLING",
    "TELLING",
    "LoggedStage",
    "logged_stage",
    "trials_of_logs",
    "try_all_in_async_log",
    "try_all_in_closing_log",
    "try_all_in_log",
]

IN_LOG = tuple(
    PACKAGE + each for each in ("engine/observability/event_log.py", "engine/observability/hooks.py", "history/")
)


def _loop_and_poll(reader: Reader) -> None:
    """Records of a loop are told of by the next poll."""
    reader.note(SYNC_CALLS["for"](reader.consumer))
    reader.note(reader.consumer.poll(max_records=1))


async def _loop_and_poll_async(reader: AsyncReader) -> None:
    reader.note(await ASYNC_CALLS["async for"](reader.consumer))
    reader.note(await reader.consumer.poll(max_records=1))


async def _read_async(name: str, reader: AsyncReader) -> None:
    reader.note(await ASYNC_CALLS[name](reader.consumer))


#: What tells an event log of records.
TELLING: dict[str, Callable[[Reader], None]] = {
    "poll": lambda reader: reader.note(SYNC_CALLS["poll"](reader.consumer)),
    "batches": lambda reader: reader.note(SYNC_CALLS["batches"](reader.consumer)),
    "for, poll": _loop_and_poll,
}
ASYNC_TELLING: dict[str, Callable[[AsyncReader], Coroutine[None, None, None]]] = {
    "poll": partial(_read_async, "poll"),
    "batches": partial(_read_async, "batches"),
    "async for, poll": _loop_and_poll_async,
}


class InterruptedLogError(BaseException):
    """As KeyboardInterrupt, which is no Exception."""


class LoggedStage(Stage):
    """One whose consumers keep event logs."""

    directory: Path

    def config(self, **more: object) -> dict[str, object]:
        return super().config(**{"history_log_dir": str(self.directory), **more})


@contextmanager
def logged_stage(records: int = 10_000) -> Iterator[Stage]:
    """As ``full_stage``, for consumers that keep event logs."""
    with TemporaryDirectory() as directory, full_stage(records) as full:
        stage = LoggedStage(full.cluster, full._monkeypatch)
        stage.directory = Path(directory)
        yield stage


def try_all_in_log(stage: Stage, name: str) -> int:
    """Interrupt each place of the log while it is told of records, and go on each time; how many there were."""
    reader = Reader.begin(stage)
    place = 1
    while True:
        with suppress(InterruptedLogError), injected(place, under=IN_LOG, make=InterruptedLogError) as injection:
            TELLING[name](reader)
        if injection.where is None:
            reader.end()
            return injection.places
        try:
            reader.go_on()
        except BaseException as error:
            raise AssertionError(f"interrupted in {injection.where}") from error
        place += 1


async def try_all_in_async_log(stage: Stage, name: str) -> int:
    """The same for ``AsyncConsumer``."""
    reader = await AsyncReader.begin(stage)
    own, place = asyncio.current_task(), 1
    while True:
        in_task = injected(place, lambda: asyncio.current_task() is own, IN_LOG, InterruptedLogError)
        with suppress(InterruptedLogError), in_task as injection:
            await ASYNC_TELLING[name](reader)
        if injection.where is None:
            await reader.end()
            return injection.places
        try:
            await reader.go_on()
        except BaseException as error:
            raise AssertionError(f"interrupted in {injection.where}") from error
        place += 1


def try_all_in_closing_log(stage: Stage) -> int:
    """Interrupt each place of the log in a close, each of a consumer of its own, and close once more."""
    place, before = 1, set(threading.enumerate())
    while True:
        reader = Reader.begin(stage)
        with suppress(InterruptedLogError), injected(place, under=IN_LOG, make=InterruptedLogError) as injection:
            reader.consumer.close()
        reader.end()
        left = [each.name for each in threading.enumerate() if each not in before]
        assert not [name for name in left if name.startswith("kafka_nextgen history")], injection.where
        if injection.where is None:
            return injection.places
        place += 1


def trials_of_logs(stage: Stage) -> Iterator[tuple[str, Callable[[], int]]]:
    """Calls and closes of consumers that keep event logs, and how many places there were in each."""
    for name in TELLING:
        yield name, partial(try_all_in_log, stage, name)
    for name in ASYNC_TELLING:
        yield f"AsyncConsumer, {name}", partial(_run, try_all_in_async_log, stage, name)
    yield "close, within its hooks", partial(try_all_in_closing_log, stage)
    yield "close", partial(try_all_of_close, stage)
    yield "AsyncConsumer.close", partial(_run, try_all_of_async_close, stage)


def _run(trial: Callable[..., Coroutine[None, None, int]], *arguments: object) -> int:
    return asyncio.run(trial(*arguments))
