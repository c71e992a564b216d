"""The calls that ``injection`` raises in."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from kafka_nextgen import AsyncConsumer, Consumer, OffsetRange, Record
from kafka_nextgen.engine.application.records import Records
from tests.engine.calls import CALLS, SHARED
from tests.engine.stage import TOPIC, tp

__all__ = [
    "ASYNC_CALLS",
    "ASYNC_READING",
    "BY_HAND",
    "DESERIALIZING",
    "READING",
    "SYNC_CALLS",
    "TRIED_ELSEWHERE",
    "UNDONE",
]

AsyncCall = Callable[[AsyncConsumer], Coroutine[None, None, object]]
T = TypeVar("T")
#: Notes a record, or a collection of them, as handed over.
Note = Callable[[object], None]

#: Why a public name is in neither table.
TRIED_ELSEWHERE = {
    "close": "a trial of its own, as it takes a new consumer for each place",
    "run": "a trial of its own, in the thread or task that polls: an exception in a handler is the handler's failure",
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
}

#: The calls of a consumer that has assigned its partitions to itself.
BY_HAND = {"assign", "assign a range"}


#: The end of a range that is not reached.
FAR = 1_000_000


def looped(consumer: Consumer) -> Record:
    """The next record of a loop."""
    for record in consumer:
        return record
    raise AssertionError


SYNC_CALLS: dict[str, Callable[[Consumer], object]] = {
    **{name: call for name, call in CALLS.items() if name != "run"},
    "assign a range": lambda consumer: consumer.assign({tp(): OffsetRange(consumer.position(tp()), FAR)}),
    "poll": lambda consumer: consumer.poll(max_records=2),
    "batches": lambda consumer: next(consumer.batches(max_records=2)),
    "for": looped,
    "commit_async": lambda consumer: consumer.commit_async().result(10),
    "seek": lambda consumer: consumer.seek(tp(), consumer.position(tp())),
    "resume": lambda consumer: (consumer.pause([tp()]), consumer.resume([tp()]))[1],
}


async def async_looped(consumer: AsyncConsumer) -> Record:
    """The next record of a loop."""
    async for record in consumer:
        return record
    raise AssertionError


async def async_batch(consumer: AsyncConsumer) -> Records:
    """The next batch of a loop."""
    async for records in consumer.batches(max_records=2):
        return records
    raise AssertionError


async def async_commit_async(consumer: AsyncConsumer) -> None:
    """Commit, and wait for it later."""
    await consumer.commit_async()


async def async_assign_range(consumer: AsyncConsumer) -> None:
    """From where it is already."""
    await consumer.assign({tp(): OffsetRange(await consumer.position(tp()), FAR)})


async def async_resume(consumer: AsyncConsumer) -> None:
    """Pause and go on."""
    await consumer.pause([tp()])
    await consumer.resume([tp()])


async def async_seek(consumer: AsyncConsumer) -> None:
    """Go where it is already."""
    await consumer.seek(tp(), await consumer.position(tp()))


def at_once(call: Callable[[Any], object]) -> AsyncCall:
    """A call that is not awaited."""

    async def made(consumer: AsyncConsumer) -> object:
        return call(consumer)

    return made


ASYNC_CALLS: dict[str, AsyncCall] = {
    **{name: at_once(CALLS[name]) for name in [*sorted(SHARED), "enforce_rebalance"]},
    "subscribe": lambda consumer: consumer.subscribe([TOPIC]),
    "unsubscribe": lambda consumer: consumer.unsubscribe(),
    "assign": lambda consumer: consumer.assign([tp()]),
    "assign a range": async_assign_range,
    "poll": lambda consumer: consumer.poll(max_records=2),
    "__anext__": lambda consumer: consumer.__anext__(),
    "async for": async_looped,
    "batches": async_batch,
    "commit": lambda consumer: consumer.commit(),
    "commit_async": async_commit_async,
    "committed": lambda consumer: consumer.committed([tp()]),
    "group_lag": lambda consumer: consumer.group_lag([tp()]),
    "position": lambda consumer: consumer.position(tp()),
    "seek": async_seek,
    "seek_to_beginning": lambda consumer: consumer.seek_to_beginning(),
    "seek_to_end": lambda consumer: consumer.seek_to_end(),
    "pause": lambda consumer: consumer.pause([tp()]),
    "resume": async_resume,
    "beginning_offsets": lambda consumer: consumer.beginning_offsets([tp()]),
    "end_offsets": lambda consumer: consumer.end_offsets([tp()]),
    "offsets_for_times": lambda consumer: consumer.offsets_for_times({tp(): 0}),
    "partitions_for": lambda consumer: consumer.partitions_for(TOPIC),
    "topics": lambda consumer: consumer.topics(),
    "describe_topics": lambda consumer: consumer.describe_topics([TOPIC]),
}


# ---- reading with deserializers: each record is noted when the application gets it

#: What a consumer of these calls is configured with.
DESERIALIZING: dict[str, object] = {"value_deserializer": int, "max_poll_records": 15}


def begin(made: Callable[[], T]) -> T:
    """Make it, once more if that was interrupted: an application whose poll has returned has the records."""
    with suppress(Exception):
        return made()
    return made()


def read_poll(consumer: Consumer, note: Note) -> None:
    """The records of a poll."""
    records = consumer.poll()
    for record in begin(partial(iter, records)):
        note(record)


def read_batches(consumer: Consumer, note: Note) -> None:
    """The same by its batches."""
    records = next(consumer.batches())
    for batch in begin(records.batches):
        for record in begin(partial(iter, batch)):
            note(record)


def read_loop(consumer: Consumer, note: Note) -> None:
    """The first records of a loop."""
    for record in islice(consumer, 15):
        note(record)


READING: dict[str, Callable[[Consumer, Note], None]] = {
    "poll": read_poll,
    "batches": read_batches,
    "for": read_loop,
    "__next__": lambda consumer, note: note(next(consumer)),
}


async def async_read_poll(consumer: AsyncConsumer, note: Note) -> None:
    """The records of a poll."""
    records = await consumer.poll()
    for record in begin(partial(iter, records)):
        note(record)


async def async_read_batches(consumer: AsyncConsumer, note: Note) -> None:
    """The same by its batches."""
    async for records in consumer.batches():
        for batch in begin(records.batches):
            for record in begin(partial(iter, batch)):
                note(record)
        return


async def async_read_loop(consumer: AsyncConsumer, note: Note) -> None:
    """The first records of a loop."""
    left = 15
    async for record in consumer:
        note(record)
        left -= 1
        if not left:
            return


ASYNC_READING: dict[str, Callable[[AsyncConsumer, Note], Coroutine[None, None, None]]] = {
    "poll": async_read_poll,
    "batches": async_read_batches,
    "async for": async_read_loop,
}
