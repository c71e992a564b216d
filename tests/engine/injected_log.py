"""Raises in the hooks of a consumer that keeps an event log: what a signal handler raises there, no shield keeps."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.engine.injected_calls import TRIED, result_of
from tests.engine.injection import PACKAGE
from tests.engine.interrupted_reader import KINDS, Kind, Reader, Trial, full_stage, try_close, try_each
from tests.engine.stage import Stage

IN_LOG = tuple(PACKAGE + each for each in ("event_log.py", "engine/observability/hooks.py", "history/"))


async def _loop_and_poll(reader: Reader) -> object:
    """Records of a loop are told of by the next poll."""
    reader.note(await result_of(TRIED["for"](reader.consumer)))
    return await result_of(reader.consumer.poll(max_records=1))


#: What tells an event log of records.
TELLING: dict[str, Callable[[Reader], object]] = {
    "poll": lambda reader: TRIED["poll"](reader.consumer),
    "batches": lambda reader: TRIED["batches"](reader.consumer),
    "for, poll": _loop_and_poll,
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


async def try_log(stage: Stage, kind: Kind, name: str) -> int:
    """Interrupt each place of the log while it is told of records, and go on each time; how many there were."""
    reader, own = await Reader.begin(stage, kind), asyncio.current_task()
    in_task = {"is_in_reach": lambda: asyncio.current_task() is own}
    return await try_each(reader, TELLING[name], under=IN_LOG, error=InterruptedLogError, **in_task)


async def try_closing_log(stage: Stage) -> int:
    """Interrupt each place of the log in a close, each of a consumer of its own, and close once more."""
    place, before = 1, set(threading.enumerate())
    while True:
        reader = await Reader.begin(stage)
        close: Callable[[Reader], object] = lambda reader: reader.consumer.close()  # noqa: E731
        injection = await reader.try_at(place, close, under=IN_LOG, error=InterruptedLogError)
        await reader.end()
        left = [each.name for each in threading.enumerate() if each not in before]
        assert not [name for name in left if name.startswith("kafka_nextgen history")], injection.where
        if injection.where is None:
            return injection.places
        place += 1


def trials_of_logs(stage: Stage) -> Iterator[Trial]:
    """Calls and closes of consumers that keep event logs, and how many places there were in each."""
    for kind in KINDS:
        for name in TELLING:
            yield f"{kind.__name__}, {name}", partial(try_log, stage, kind, name)
        yield f"{kind.__name__}.close", partial(try_close, stage, kind)
    yield "close, within its hooks", partial(try_closing_log, stage)
