"""Reads a topic again and again, in a process of its own that a sampler looks at.

Run as ``python -m benchmarks.profiling.read TASK``, a ``Task`` as JSON. The samples of the main thread that count are
those inside of the functions ``COUNTED``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from itertools import islice

from attrs import frozen

from benchmarks.consuming.readers.ours import config, partitions
from benchmarks.consuming.task import BATCH
from benchmarks.consuming.task import Task as Reading
from benchmarks.consuming.touching import touch
from benchmarks.processes import told
from kafka_nextgen import AsyncConsumer, Consumer, Records

__all__ = ["COUNTED", "WAYS", "Task"]

#: The functions that the profile is about.
COUNTED = ("arrow_again", "iterate_again", "iterate_async")


@frozen
class Task:
    """Read all ``records`` so many ``times``, in one of the ``WAYS``."""

    bootstrap_servers: str
    topic: str
    partitions: int
    records: int
    times: int
    way: str

    @property
    def reading(self) -> Reading:
        """What there is to be read."""
        return Reading("", self.bootstrap_servers, self.topic, self.partitions, self.records)


def arrow_again(consumer: Consumer, records: int) -> None:
    seen = 0
    while seen < records:
        found: Records = consumer.poll(1.0, BATCH)
        if found:
            seen += found.to_arrow().num_rows


def iterate_again(consumer: Consumer, records: int) -> None:
    for record in islice(consumer, records):
        value, offset = record.value, record.offset  # noqa: F841


def iterate_async(task: Task) -> None:
    asyncio.run(_iterate_async(task))


async def _iterate_async(task: Task) -> None:
    async with AsyncConsumer(config(task.reading)) as consumer:
        await consumer.assign(partitions(task.reading))
        for _ in range(task.times):
            await consumer.seek_to_beginning(partitions(task.reading))
            await touch(consumer, task.records)


def _again(task: Task, read_all: Callable[[Consumer, int], None]) -> None:
    with Consumer(config(task.reading)) as consumer:
        consumer.assign(partitions(task.reading))
        for _ in range(task.times):
            consumer.seek_to_beginning(partitions(task.reading))
            read_all(consumer, task.records)


@frozen
class Way:
    """How records are read; and how much slower that is than to Arrow, roughly, so that it is done less often."""

    read: Callable[[Task], None]
    slower: int


WAYS: Mapping[str, Way] = {
    "to Arrow": Way(partial(_again, read_all=arrow_again), 1),
    "iterating": Way(partial(_again, read_all=iterate_again), 4),
    "iterating with asyncio": Way(iterate_async, 4),
}


def read(task: Task) -> None:
    WAYS[task.way].read(task)


if __name__ == "__main__":
    read(told(Task))
