"""Fills a topic by confluent-kafka's producer, in a process of its own, and tells what came of it.

Run as ``python -m benchmarks.consuming.fill FILLING``, a ``Filling`` as JSON; prints ``Filled`` as JSON. The numbers of
batches and of bytes on the wire are librdkafka's statistics: it puts one batch into each Produce request.
"""

from __future__ import annotations

import json
import time
from itertools import islice
from typing import Any

from attrs import frozen
from confluent_kafka import Producer

from benchmarks.consuming.values import values
from benchmarks.processes import answer, ask, told

__all__ = ["Filled", "Filling", "fill", "write"]

STATISTICS_MS = 200


@frozen
class Filling:
    """So many records for all partitions in turns, in batches of at most ``batch_bytes`` before compression."""

    bootstrap_servers: str
    topic: str
    partitions: int
    records: int
    value_bytes: int
    compression: str
    batch_bytes: int
    linger_ms: int = 100


@frozen
class Filled:
    """What was written: ``wire_bytes`` as sent, ``value_bytes`` as given."""

    records: int
    value_bytes: int
    wire_bytes: int
    batches: int

    @property
    def records_per_batch(self) -> float:
        return self.records / self.batches


def fill(filling: Filling) -> Filled:
    """Fill a topic and wait until everything is acknowledged. Raises RuntimeError if the producer fails."""
    return ask("benchmarks.consuming.fill", filling, Filled)


class _Statistics:
    """The last of what librdkafka told."""

    def __init__(self) -> None:
        self.wire_bytes = self.batches = 0

    def take(self, text: str) -> None:
        brokers: list[dict[str, Any]] = list(json.loads(text)["brokers"].values())
        self.batches = sum(broker["req"]["Produce"] for broker in brokers)
        self.wire_bytes = sum(broker["txbytes"] for broker in brokers)


def _produce(filling: Filling) -> Filled:
    statistics = _Statistics()
    producer = Producer(
        {
            "bootstrap.servers": filling.bootstrap_servers,
            "compression.type": filling.compression,
            "batch.size": filling.batch_bytes,
            "linger.ms": filling.linger_ms,
            "queue.buffering.max.messages": 500_000,
            "statistics.interval.ms": STATISTICS_MS,
            "stats_cb": statistics.take,
        }
    )
    for number, value in enumerate(islice(values(filling.value_bytes), filling.records)):
        write(producer, filling.topic, value, number % filling.partitions)
    if left := producer.flush(120):
        raise RuntimeError(f"{left} records were not acknowledged")
    producer.poll(0)
    time.sleep(2 * STATISTICS_MS / 1000)  # until the statistics cover the last batch
    producer.poll(0)
    written = filling.records * filling.value_bytes
    return Filled(filling.records, written, statistics.wire_bytes, statistics.batches)


def write(producer: Producer, topic: str, value: bytes, partition: int) -> None:
    while True:
        try:
            producer.produce(topic, value, partition=partition)
        except BufferError:
            producer.poll(0.1)
        else:
            break


if __name__ == "__main__":
    answer(_produce(told(Filling)))
