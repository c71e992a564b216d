"""Fills a topic with typed values, in a process of its own.

Run as ``python -m benchmarks.decoding.fill FILLING``, a ``Filling`` as JSON; prints ``Filled`` as JSON. There are
``DISTINCT`` different values, which repeat.
"""

from __future__ import annotations

from itertools import cycle, islice

from attrs import frozen
from confluent_kafka import Producer

from benchmarks.consuming.fill import write
from benchmarks.decoding.formats import format_module
from benchmarks.processes import answer, ask, told

__all__ = ["DISTINCT", "Filled", "Filling", "fill"]

DISTINCT = 50_000


@frozen
class Filling:
    """So many records for all partitions in turns."""

    format: str
    shape: str
    bootstrap_servers: str
    topic: str
    partitions: int
    records: int


@frozen
class Filled:
    records: int
    value_bytes: int

    @property
    def bytes_each(self) -> float:
        return self.value_bytes / self.records


def fill(filling: Filling) -> Filled:
    """Fill a topic and wait until everything is acknowledged. Raises RuntimeError if the producer fails."""
    return ask("benchmarks.decoding.fill", filling, Filled)


def _produce(filling: Filling) -> Filled:
    config = {"bootstrap.servers": filling.bootstrap_servers, "batch.size": 131_072, "linger.ms": 100}
    producer = Producer({**config, "queue.buffering.max.messages": 500_000})
    distinct = min(DISTINCT, filling.records)
    values = list(islice(format_module(filling.format).values(filling.shape), distinct))
    written = 0
    for number, value in enumerate(islice(cycle(values), filling.records)):
        write(producer, filling.topic, value, number % filling.partitions)
        written += len(value)
    if left := producer.flush(120):
        raise RuntimeError(f"{left} records were not acknowledged")
    return Filled(filling.records, written)


if __name__ == "__main__":
    answer(_produce(told(Filling)))
