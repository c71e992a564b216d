"""Writes records at a steady rate, to all partitions in turns, until its stdin ends; a process of its own.

Run as ``python -m benchmarks.delays.feed FEED``, a ``Feed`` as JSON. A value begins with the time at which it was
handed to the producer: nanoseconds of the machine's monotonic clock, which all its processes share.

If it is to, it notes how long the broker took to acknowledge each record. Two such times on its stdin, from when to
when, are answered with ``Acknowledged`` as JSON.
"""

from __future__ import annotations

import sys
import threading
import time
from array import array
from bisect import bisect_left
from math import nan

from attrs import frozen
from confluent_kafka import KafkaError, Message, Producer

from benchmarks.delays.task import Window, seconds_at
from benchmarks.processes import answer, told

__all__ = ["STAMP_BYTES", "Acknowledged", "Acknowledgements", "Feed"]

STAMP_BYTES = 8


@frozen
class Feed:
    """What is written: so many values of so many bytes a second."""

    bootstrap_servers: str
    topic: str
    partitions: int
    records_per_s: int
    notes_acknowledged: bool = False
    value_bytes: int = 100


@frozen
class Acknowledged:
    """How many records were, and after how long, in seconds: the middle one, and the first of the slowest hundredth."""

    records: int
    p50_s: float
    p99_s: float


class Acknowledgements:
    """When each record was acknowledged, and after how long, in nanoseconds."""

    def __init__(self) -> None:
        self._at = array("q")
        self._took = array("q")

    def take(self, error: KafkaError | None, message: Message) -> None:
        """Called by the producer."""
        now, value = time.monotonic_ns(), message.value()
        assert error is None, error
        assert isinstance(value, bytes)
        self._took.append(now - int.from_bytes(value[:STAMP_BYTES], "big"))
        self._at.append(now)

    def within(self, window_ns: Window) -> Acknowledged:
        """What was acknowledged from the one moment on and before the other."""
        begin, end = (bisect_left(self._at, moment) for moment in window_ns)
        took = sorted(self._took[begin:end])
        p50, p99 = (seconds_at(point, took) if took else nan for point in (0.5, 0.99))
        return Acknowledged(len(took), p50, p99)


def _answer_until_the_end(acknowledgements: Acknowledgements, ended: threading.Event) -> None:
    for line in sys.stdin:
        begin, end = map(int, line.split())
        answer(acknowledgements.within((begin, end)))
    ended.set()


def write(feed: Feed) -> None:
    acknowledgements, ended = Acknowledgements(), threading.Event()
    threading.Thread(target=_answer_until_the_end, args=(acknowledgements, ended), daemon=True).start()
    producer = Producer(
        {
            "bootstrap.servers": feed.bootstrap_servers,
            "linger.ms": 0,
            "queue.buffering.max.messages": 1_000_000,  # a broker that pauses for seconds does not end this
            "max.in.flight.requests.per.connection": 5,  # what waits behind them makes one batch, as in Kafka's own
        }
    )
    on_delivery = acknowledgements.take if feed.notes_acknowledged else None
    filling = bytes(feed.value_bytes - STAMP_BYTES)
    interval_ns, number, begin = 1_000_000_000 // feed.records_per_s, 0, time.monotonic_ns()
    print("writing", flush=True)
    while not ended.is_set():
        due = (time.monotonic_ns() - begin) // interval_ns
        for record in range(number, due):
            value = time.monotonic_ns().to_bytes(STAMP_BYTES, "big") + filling
            producer.produce(feed.topic, value, partition=record % feed.partitions, on_delivery=on_delivery)
        number = due
        producer.poll(0)
        time.sleep(max(0, begin + (number + 1) * interval_ns - time.monotonic_ns()) / 1e9)
    producer.flush(10)


if __name__ == "__main__":
    write(told(Feed))
