"""The calls that are interrupted, of a consumer of either kind: what they return may have to be awaited."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from kafka_nextgen import AsyncConsumer, Consumer, OffsetRange
from tests.engine.calls import CALLS
from tests.engine.stage import tp
from tests.support.waiting import GUARD_S

AnyConsumer = Consumer | AsyncConsumer
T = TypeVar("T")
#: Notes a record, or a collection of them, as handed over.
Note = Callable[[object], None]

#: Why a public name is not in the table.
TRIED_ELSEWHERE = {
    "close": "a trial of its own, as it takes a new consumer for each place",
    "run": "a trial of its own, in the thread or task that polls: an exception in a handler is the handler's failure",
    "run_in_transactions": "a worker dies and fails at each of its steps in tests/processing/transactions",
    "config": "an attribute",
    "hooks": "an attribute",
}
#: The calls after which reading does not go on where it was, and the method of a reader that sees to that.
UNDONE = {
    "unsubscribe": "join",
    "assign": "join",
    "assign a range": "join",
    "seek_to_beginning": "seek_back",
    "seek_to_end": "seek_back",
    "pause": "resume",
    "resume": "resume",  # it pauses first
}
#: The calls of a consumer that has assigned its partitions to itself.
BY_HAND = {"assign", "assign a range"}
#: The calls of a consumer that commits only what the application stores, and how it is configured.
STORING = {"store_offsets"}
STORES: dict[str, object] = {"enable_auto_offset_store": False}
#: The end of a range that is not reached.
FAR = 1_000_000


async def result_of(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


def loop_of(consumer: Any) -> Any:
    return aiter(consumer) if isinstance(consumer, AsyncConsumer) else iter(consumer)


async def next_of(loop: Any) -> Any:
    return await anext(loop) if hasattr(loop, "__anext__") else next(loop)


async def commit_async(consumer: Any) -> None:
    """Commit, and wait for it later."""
    commit = consumer.commit_async()
    await commit if inspect.isawaitable(commit) else commit.result(GUARD_S)


async def assign_range(consumer: Any) -> None:
    """From where it is already."""
    start = await result_of(consumer.position(tp()))
    await result_of(consumer.assign({tp(): OffsetRange(start, FAR)}))


async def resume(consumer: Any) -> None:
    await result_of(consumer.pause([tp()]))
    await result_of(consumer.resume([tp()]))


async def seek(consumer: Any) -> None:
    """Go where it is already."""
    await result_of(consumer.seek(tp(), await result_of(consumer.position(tp()))))


async def store_offsets(consumer: Any) -> None:
    """Of both partitions, all that was handed over."""
    consumer.store_offsets({tp(part): await result_of(consumer.position(tp(part))) for part in (0, 1)})


TRIED: dict[str, Callable[[Any], object]] = {
    **{name: call for name, call in CALLS.items() if name != "run"},
    "assign a range": assign_range,
    "poll": lambda consumer: consumer.poll(max_records=2),
    "batches": lambda consumer: next_of(consumer.batches(max_records=2)),
    "for": lambda consumer: next_of(loop_of(consumer)),
    "__next__": next_of,
    "commit_async": commit_async,
    "group_lag": lambda consumer: consumer.group_lag([tp()]),
    "seek": seek,
    "resume": resume,
    "store_offsets": store_offsets,
}


# ---- reading with deserializers: each record is noted when the application gets it

#: What a consumer of these calls is configured with.
DESERIALIZING: dict[str, object] = {"value_deserializer": int, "max_poll_records": 15}


def begin(made: Callable[[], T]) -> T:
    """Make it, once more if that was interrupted: an application whose poll has returned has the records."""
    with suppress(Exception):
        return made()
    return made()


async def read_poll(consumer: Any, note: Note) -> None:
    records = await result_of(consumer.poll())
    for record in begin(partial(iter, records)):
        note(record)


async def read_one(consumer: Any, note: Note) -> None:
    note(await result_of(consumer.getone()))


async def read_batches(consumer: Any, note: Note) -> None:
    records = await next_of(consumer.batches())
    for batch in begin(records.batches):
        for record in begin(partial(iter, batch)):
            note(record)


async def read_loop(consumer: Any, note: Note) -> None:
    """The first records of a loop."""
    records = loop_of(consumer)
    for _ in range(15):
        note(await next_of(records))


async def read_next(consumer: Any, note: Note) -> None:
    note(await next_of(consumer))


READING: dict[str, Callable[[Any, Note], Coroutine[None, None, None]]] = {
    "poll": read_poll,
    "getone": read_one,
    "batches": read_batches,
    "for": read_loop,
    "__next__": read_next,
}
