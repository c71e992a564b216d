"""What calls cost that a loop over records makes, by how many partitions are assigned.

Run as ``python -m benchmarks.calls_in_a_loop`` from the root of the repository; ``--write`` puts the figures on the
page docs/benchmarks/index.md. Every partition has four records. Each call is timed alone, once for each record, about
the record's own partition.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import median

import click

from benchmarks.consuming.run import Layout, filled_topic
from benchmarks.kafka import kafka, which_kafka
from benchmarks.page import about_the_run, in_digits, table, write_section
from kafka_nextgen import Consumer, Record, TopicPartition

Times = Mapping[str, float]


def _pause_and_resume(consumer: Consumer, record: Record) -> None:
    partition = [TopicPartition(record.topic, record.partition)]
    consumer.pause(partition)
    consumer.resume(partition)


CALLS: Mapping[str, Callable[[Consumer, Record], object]] = {
    "position(p)": lambda consumer, record: consumer.position(TopicPartition(record.topic, record.partition)),
    "assignment()": lambda consumer, _: consumer.assignment(),
    "paused()": lambda consumer, _: consumer.paused(),
    "lag()": lambda consumer, _: consumer.lag(),
    "pause([p]), resume([p])": _pause_and_resume,
    "seek(p, next)": lambda consumer, record: consumer.seek(
        TopicPartition(record.topic, record.partition), record.offset + 1
    ),
}


def measure(bootstrap_servers: str, partitions: int, calls: int) -> Times:
    """How many seconds each call takes, the median of so many of them."""
    with filled_topic(bootstrap_servers, partitions, 4 * partitions, 100, Layout("none", 16_384)) as topic:
        return {name: _measure(bootstrap_servers, topic.name, partitions, calls, call) for name, call in CALLS.items()}


def _measure(
    bootstrap_servers: str, topic: str, partitions: int, calls: int, call: Callable[[Consumer, Record], object]
) -> float:
    with Consumer(bootstrap_servers=bootstrap_servers, auto_offset_reset="earliest") as consumer:
        consumer.assign([TopicPartition(topic, partition) for partition in range(partitions)])
        return median(_times(consumer, calls, call))


def _times(consumer: Consumer, calls: int, call: Callable[[Consumer, Record], object]) -> Iterable[float]:
    for _, record in zip(range(calls), consumer, strict=False):
        began = time.perf_counter()
        call(consumer, record)
        yield time.perf_counter() - began


def calls_table(measured: Mapping[int, Times]) -> str:
    names = ("call", *(f"{partitions} partitions, µs" for partitions in measured))
    return table(names, [(call, *(in_digits(times[call] * 1e6, 3) for times in measured.values())) for call in CALLS])


@click.command(help=__doc__)
@which_kafka
@click.option("--partitions", "sizes", multiple=True, type=int, default=(20, 200, 2000), show_default=True)
@click.option("--calls", default=50, show_default=True, help="How often each is called.")
@click.option("--write", is_flag=True, help="Put the figures on the page.")
def main(bootstrap_servers: str | None, version: str, sizes: Sequence[int], calls: int, write: bool) -> None:
    load = os.getloadavg()[0]
    with kafka(bootstrap_servers, version) as servers:
        measured = {partitions: measure(servers, partitions, calls) for partitions in sizes}
    body = f"{about_the_run(f'Kafka {version}', load=load)}\n\n{calls_table(measured)}"
    print(body)
    if write:
        write_section("calls_in_a_loop", body)


if __name__ == "__main__":
    main()
