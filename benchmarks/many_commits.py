"""How long it takes to commit each of many partitions by itself, and for how long that keeps a heartbeat waiting.

Run as ``python -m benchmarks.many_commits`` from the root of the repository; ``--write`` puts the figures on the page
docs/benchmarks/index.md. A member owns all partitions of a topic and calls ``commit_async`` once for each of them, as
fast as it can. Meanwhile a timer that is set a millisecond ahead again and again looks for how long its I/O thread is
busy with something else: a heartbeat that is due waits as long. The broker is ours, in a process of its own.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Mapping
from concurrent.futures import Future, wait
from uuid import uuid4

import click
from attrs import frozen
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from benchmarks.heartbeating.brokers import our_broker
from benchmarks.page import about_the_run, in_digits, table, write_section
from kafka_nextgen import Consumer, OffsetAndMetadata, TopicPartition

PARTITIONS = (100, 1_000, 10_000)
STEP_S = 0.001
LONGEST_S = 600.0


@frozen
class Measured:
    """Seconds for all commits and the I/O thread's longest block, and how many commits failed."""

    all_s: float
    longest_block_s: float
    failed: int


class Probe:
    """Looks how late a timer of the I/O thread rings."""

    def __init__(self, consumer: Consumer) -> None:
        self.longest_s = 0.0
        self._due = 0.0
        self._runs = True
        consumer._core.engine.thread.call_soon(self._set)  # noqa: SLF001

    def stop(self) -> None:
        self._runs = False

    def _set(self) -> None:
        if self._runs:
            self._due = time.monotonic() + STEP_S
            asyncio.get_running_loop().call_later(STEP_S, self._ring)

    def _ring(self) -> None:
        self.longest_s = max(self.longest_s, time.monotonic() - self._due)
        self._set()


def measure(bootstrap_servers: str, partitions: int) -> Measured:
    """Commit each of so many partitions by itself."""
    topic = f"commits-{uuid4().hex[:8]}"
    admin = AdminClient({"bootstrap.servers": bootstrap_servers})
    admin.create_topics([NewTopic(topic, partitions, 1)])[topic].result(timeout=LONGEST_S)
    with Consumer(
        bootstrap_servers=bootstrap_servers,
        group_id=topic,
        enable_auto_commit=False,
        default_api_timeout_ms=int(LONGEST_S * 1000),
    ) as consumer:
        consumer.subscribe([topic])
        while len(consumer.assignment()) < partitions:
            consumer.poll(timeout=0.1)
        return _commit_each(consumer, [TopicPartition(topic, number) for number in range(partitions)])


def _commit_each(consumer: Consumer, partitions: list[TopicPartition]) -> Measured:
    probe, began = Probe(consumer), time.monotonic()
    commits: list[Future[None]] = [consumer.commit_async({tp: OffsetAndMetadata(1)}) for tp in partitions]
    wait(commits, timeout=LONGEST_S)
    all_s = time.monotonic() - began
    probe.stop()
    failed = sum(not commit.done() or commit.exception() is not None for commit in commits)
    return Measured(all_s, probe.longest_s, failed)


def commits_table(measured: Mapping[int, Measured]) -> str:
    """One row for each number of partitions."""
    rows = [
        (
            f"{partitions:,}",
            in_digits(each.all_s, 3),
            in_digits(each.all_s / partitions * 1000, 3),
            in_digits(each.longest_block_s * 1000, 3),
            str(each.failed),
        )
        for partitions, each in measured.items()
    ]
    return table(("partitions, a commit of each", "all, s", "each, ms", "longest block, ms", "failed"), rows)


@click.command(help=__doc__)
@click.option("--write", is_flag=True, help="Write the figures to the page.")
def main(write: bool) -> None:
    load = os.getloadavg()[0]
    with our_broker() as bootstrap_servers:
        measured = {partitions: measure(bootstrap_servers, partitions) for partitions in PARTITIONS}
    body = f"{about_the_run(load=load)}\n\n{commits_table(measured)}"
    click.echo(body)
    if write:
        write_section("many_commits", body)


if __name__ == "__main__":
    main()
