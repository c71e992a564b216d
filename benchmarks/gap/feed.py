"""Writes records at a steady rate to every partition of a topic until its stdin ends; a process of its own.

Run as ``python -m benchmarks.gap.feed BOOTSTRAP TOPIC PARTITIONS RECORDS_PER_S``, the last for each partition.
"""

from __future__ import annotations

import sys
import threading
import time

from confluent_kafka import Producer

TICK_S = 0.005


def _wait_for_the_end(ended: threading.Event) -> None:
    sys.stdin.read()
    ended.set()


def main(bootstrap_servers: str, topic: str, partitions: str, records_per_s: str) -> None:
    ended = threading.Event()
    threading.Thread(target=_wait_for_the_end, args=(ended,), daemon=True).start()
    producer = Producer(
        {
            "bootstrap.servers": bootstrap_servers,
            "linger.ms": 0,
            "max.in.flight.requests.per.connection": 5,  # what waits behind them makes one batch, as in Kafka's own
        }
    )
    value, rate, written, begin = bytes(100), int(records_per_s), 0, time.monotonic()
    while not ended.wait(TICK_S):
        due = int((time.monotonic() - begin) * rate)
        for partition in range(int(partitions)):
            for _ in range(due - written):
                producer.produce(topic, value, partition=partition)
        written = due
        producer.poll(0)
    producer.flush(10)


if __name__ == "__main__":
    main(*sys.argv[1:])
