"""Consumers that have everything of the fixture ``orders`` at hand, one record of which can't be deserialized."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress

from kafka_nextgen import AsyncConsumer, Consumer, DeserializationError, Record
from tests.engine.stage import Stage, tp
from tests.support.waiting import eventually

#: The value of one record of partition 1. All values are offsets.
BAD = 12
PARTITIONS = [tp(0), tp(1), tp(2)]
_EVERYTHING = [(p, n) for p, count in enumerate((10, 20, 10)) for n in range(count)]
#: What there is besides, by partition and offset, and what of it can be read before a decision about the bad record.
ALL_BUT_BAD = [place for place in _EVERYTHING if place != (1, BAD)]
BEFORE_BAD = [(p, n) for p, n in _EVERYTHING if p != 1 or n < BAD]


def refuse_twelve(data: bytes) -> int:
    if int(data) == BAD:
        raise ValueError("twelve")
    return int(data)


def told(records: list[Record]) -> list[tuple[int, int]]:
    return sorted((record.partition, record.offset) for record in records)


def wait_for_all(consumer: Consumer | AsyncConsumer) -> None:
    def count() -> int:
        return sum(partition.buffered_records for partition in consumer.metrics().reading.partitions.values())

    eventually("all is fetched", lambda: count() == 40, saw=count)


@contextmanager
def consuming(orders: Stage, **more: object) -> Iterator[Consumer]:
    """A consumer whose next poll hands over everything."""
    with orders.consumer(value_deserializer=refuse_twelve, **more) as consumer:
        consumer.assign(PARTITIONS)
        wait_for_all(consumer)
        yield consumer


@asynccontextmanager
async def consuming_async(orders: Stage, **more: object) -> AsyncIterator[AsyncConsumer]:
    async with AsyncConsumer(**orders.config(value_deserializer=refuse_twelve, **more)) as consumer:
        await consumer.assign(PARTITIONS)
        await asyncio.to_thread(wait_for_all, consumer)
        yield consumer


def take(records: Iterable[Record], seen: list[Record]) -> DeserializationError:
    """Take records until one of them is bad."""
    try:
        seen.extend(records)
    except DeserializationError as error:
        return error
    raise AssertionError("no record was bad")


def take_good(records: Iterable[Record]) -> Iterator[Record]:
    """The records up to the bad one, which is not raised."""
    with suppress(DeserializationError):
        yield from records
