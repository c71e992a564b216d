"""Reads a topic again and again, in a process of its own that a sampler looks at.

Run as ``python -m benchmarks.profiling.read TASK``, a ``Task`` as JSON. The samples of the main thread that count are
those inside of ``arrow_again`` or ``iterate_again``.
"""

from __future__ import annotations

from itertools import islice

from attrs import frozen

from benchmarks.consuming.readers.ours import config, partitions
from benchmarks.consuming.task import BATCH
from benchmarks.consuming.task import Task as Reading
from benchmarks.processes import told
from kafka_nextgen import Consumer, Records

__all__ = ["COUNTED", "Task"]

#: The functions that the profile is about.
COUNTED = ("arrow_again", "iterate_again")


@frozen
class Task:
    """Read all ``records`` so many ``times``, into Arrow or, with ``iterates``, as objects."""

    bootstrap_servers: str
    topic: str
    partitions: int
    records: int
    times: int
    iterates: bool


def arrow_again(consumer: Consumer, records: int) -> None:
    seen = 0
    while seen < records:
        found: Records = consumer.poll(1.0, BATCH)
        if found:
            seen += found.to_arrow().num_rows


def iterate_again(consumer: Consumer, records: int) -> None:
    for record in islice(consumer, records):
        value, offset = record.value, record.offset  # noqa: F841


def read(task: Task) -> None:
    about = Reading("", task.bootstrap_servers, task.topic, task.partitions, task.records)
    with Consumer(config(about)) as consumer:
        consumer.assign(partitions(about))
        for _ in range(task.times):
            consumer.seek_to_beginning(partitions(about))
            (iterate_again if task.iterates else arrow_again)(consumer, task.records)


if __name__ == "__main__":
    read(told(Task))
