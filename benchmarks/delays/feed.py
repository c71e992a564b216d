"""Writes records at a steady rate, to all partitions in turns, until its stdin ends; a process of its own.

Run as ``python -m benchmarks.delays.feed FEED``, a ``Feed`` as JSON. A value begins with the time at which it was
handed to the producer: nanoseconds of the machine's monotonic clock, which all its processes share.
"""

from __future__ import annotations

import sys
import threading
import time

from attrs import frozen
from confluent_kafka import Producer

from benchmarks.processes import told

__all__ = ["STAMP_BYTES", "Feed"]

STAMP_BYTES = 8


@frozen
class Feed:
    """What is written: so many values of so many bytes a second."""

    bootstrap_servers: str
    topic: str
    partitions: int
    records_per_s: int
    value_bytes: int = 100


def _wait_for_the_end(ended: threading.Event) -> None:
    sys.stdin.read()
    ended.set()


def write(feed: Feed) -> None:
    ended = threading.Event()
    threading.Thread(target=_wait_for_the_end, args=(ended,), daemon=True).start()
    producer = Producer(
        {
            "bootstrap.servers": feed.bootstrap_servers,
            "linger.ms": 0,
            "max.in.flight.requests.per.connection": 5,  # what waits behind them makes one batch, as in Kafka's own
        }
    )
    filling = bytes(feed.value_bytes - STAMP_BYTES)
    interval_ns, number, begin = 1_000_000_000 // feed.records_per_s, 0, time.monotonic_ns()
    print("writing", flush=True)
    while not ended.is_set():
        due = (time.monotonic_ns() - begin) // interval_ns
        for record in range(number, due):
            value = time.monotonic_ns().to_bytes(STAMP_BYTES, "big") + filling
            producer.produce(feed.topic, value, partition=record % feed.partitions)
        number = due
        producer.poll(0)
        time.sleep(max(0, begin + (number + 1) * interval_ns - time.monotonic_ns()) / 1e9)
    producer.flush(10)


if __name__ == "__main__":
    write(told(Feed))
