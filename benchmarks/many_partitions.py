"""What a thousand partitions cost: a client that waits for records of all, and one that reads them.

Run as ``python -m benchmarks.many_partitions`` from the root of the repository; ``--write`` puts the figures on the
page docs/benchmarks/index.md. Every client is a process of its own, and they take turns. *Idle*: nothing is written,
and the client polls, with its defaults. *Reading*: from the beginning of all partitions to their ends, tuned as in the
benchmark of reading.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

import click

from benchmarks.consuming.gauge import Reading
from benchmarks.consuming.report import about_the_topic, readings_table
from benchmarks.consuming.run import Layout, filled_topic
from benchmarks.consuming.variants import BASELINE, Variant
from benchmarks.idling.report import draw_idle
from benchmarks.idling.task import Idleness, Task
from benchmarks.idling.waiters import WAITERS
from benchmarks.kafka import create_topic, kafka, which_kafka
from benchmarks.page import about_the_run, of_peers, ratio, spread, table, write_section
from benchmarks.plots import Bar, draw_bars
from benchmarks.processes import ask
from benchmarks.turns import turns

VARIANTS = (
    Variant("columns", "kafka_nextgen", "batches(50000), to_arrow()", "ours.arrow"),
    Variant("objects", "kafka_nextgen", "for record in consumer", "ours.iterate"),
    BASELINE,
    Variant("objects", "kafka-python", "poll()", "with_kafka_python.poll"),
    Variant("asyncio", "kafka_nextgen", "async for record in consumer", "ours_async.iterate"),
    Variant("asyncio", "aiokafka", "getmany()", "with_aiokafka.getmany"),
)
LAYOUT = Layout("none", 131_072)
OURS, PEER = "kafka_nextgen", "confluent-kafka"
SETTLE_S = 5.0

Idle = Mapping[str, Sequence[Idleness]]


def measure_idle(
    bootstrap_servers: str,
    partitions: int,
    rounds: int,
    settle_s: float,
    seconds: float,
    elsewhere: Mapping[str, Callable[[Task], Idleness]] | None = None,
) -> Idle:
    """All clients in turns, with those that are not run in a process of Python, if any."""
    topic = create_topic(bootstrap_servers, partitions, name="idle")
    waits = {**dict.fromkeys(WAITERS, _wait), **(elsewhere or {})}
    idle: dict[str, list[Idleness]] = {client: [] for client in waits}
    for client in turns(list(waits), rounds):
        task = Task(client, bootstrap_servers, topic, partitions, settle_s, seconds)
        idle[client].append(waits[client](task))
    return idle


def _wait(task: Task) -> Idleness:
    return ask("benchmarks.idling.wait", task, Idleness)


def idle_table(idle: Idle) -> str:
    peer = [one.cpu_share for one in idle[PEER]]
    rows = [
        (
            client,
            spread([one.cpu_share * 1000 for one in each]),
            f"{ratio([one.cpu_share for one in each], peer):.2g}",
            spread([one.peak_bytes / 1e6 for one in each]),
        )
        for client, each in idle.items()
    ]
    return table(("client", "CPU, ms per second", "by confluent-kafka's", "peak, MB"), rows)


def plot(idle: Idle, readings: Mapping[Variant, Sequence[Reading]]) -> str:
    reading = [
        Bar(variant.name, [one.per_second for one in each], variant.client == OURS)
        for variant, each in readings.items()
    ]
    draw_idle("many-partitions-idle", idle)
    draw_bars("many-partitions-reading", {"reading": reading}, "records per second")
    return (
        "![CPU of an idle consumer of many partitions, in milliseconds per second, of each client]"
        "(plots/many-partitions-idle.svg)\n\n"
        "![records per second from many partitions, of each client and way of reading]"
        "(plots/many-partitions-reading.svg)"
    )


@click.command(help=__doc__)
@which_kafka
@click.option("--rounds", default=3, show_default=True)
@click.option("--partitions", default=1000, show_default=True)
@click.option("--records", default=2_000_000, show_default=True, help="In all partitions together.")
@click.option("--seconds", default=10.0, show_default=True, help="How long each client waits in each round.")
@click.option("--write", is_flag=True, help="Put the figures on the page.")
def main(
    bootstrap_servers: str | None,
    version: str,
    rounds: int,
    partitions: int,
    records: int,
    seconds: float,
    write: bool,
) -> None:
    load = os.getloadavg()[0]
    with kafka(bootstrap_servers, version) as servers:
        idle = measure_idle(servers, partitions, rounds, SETTLE_S, seconds)
        with filled_topic(servers, partitions, records, 100, LAYOUT) as topic:
            measured = topic.read_in_turns(VARIANTS, rounds)
    run = about_the_run(f"Kafka {version}", *of_peers([PEER, "aiokafka", "kafka-python"]), load=load)
    reading = [about_the_topic(measured), readings_table(measured)]
    body = "\n\n".join([run, f"Idle, {partitions} partitions:", idle_table(idle), "Reading:", *reading])
    print(body)
    if write:
        write_section("many_partitions", f"{body}\n\n{plot(idle, measured.readings)}")


if __name__ == "__main__":
    main()
