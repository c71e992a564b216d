"""Records into Python: to Arrow, to objects, by asyncio, ours next to its peers, over real Kafka.

Run as ``python -m benchmarks.consume`` from the root of the repository; ``--write`` puts the figures and plots on the
page docs/benchmarks/index.md. Every reading is a process of its own that assigns itself all partitions from their
beginning, without a group, and looks at the value and offset of every record, or at the table. Tuned means: 4 MiB of a
partition at once for all; for confluent-kafka also queued.min.messages of a million and a queue of 200 MB. The baseline
is confluent-kafka's consume(10000), tuned. Before the first round of a topic a plain socket warms the broker up; slow
readers read as many of its records as take some seconds.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import click

import kafka_nextgen
from benchmarks.consuming.report import about_the_topic, bars, readings_table, targets_table
from benchmarks.consuming.run import LAYOUTS, Measured, measure
from benchmarks.consuming.variants import KINDS, VARIANTS
from benchmarks.kafka import check_disk, kafka, which_kafka
from benchmarks.page import about_the_run, of_peers, write_section
from benchmarks.plots import draw_bars

PEERS = ("confluent-kafka", "aiokafka", "kafka-python", "pyarrow")


def report(measured: Sequence[Measured]) -> str:
    """The targets, then a table for each topic."""
    parts = [targets_table(measured)]
    for one in measured:
        parts += [about_the_topic(one), readings_table(one)]
    return "\n\n".join(parts)


def plot(measured: Sequence[Measured]) -> str:
    """Draw all of it, and return what shows it on the page."""
    kinds = KINDS[:3]
    rates = {str(one.layout): bars(one, lambda each: each.per_second, kinds) for one in measured}
    costs = {str(one.layout): bars(one, lambda each: each.cpu_s_per_million, kinds) for one in measured}
    draw_bars("consume-rate", rates, "records per second")
    draw_bars("consume-cpu", costs, "CPU seconds per million records", scale="log")
    return (
        "![records per second of each client and way of reading: bars, the tables above as a picture]"
        "(plots/consume-rate.svg)\n\n"
        "![CPU seconds per million records of each client and way of reading](plots/consume-cpu.svg)"
    )


@click.command(help=__doc__)
@which_kafka
@click.option("--rounds", default=3, show_default=True)
@click.option("--records", default=10_000_000, show_default=True)
@click.option("--partitions", default=6, show_default=True)
@click.option("--value-bytes", default=100, show_default=True)
@click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="Only these; else all.")
@click.option("--topics", default=len(LAYOUTS), show_default=True, help="How many of the ways a topic is written.")
@click.option("--write", is_flag=True, help="Put the figures on the page.")
def main(
    bootstrap_servers: str | None,
    version: str,
    rounds: int,
    records: int,
    partitions: int,
    value_bytes: int,
    kinds: Sequence[str],
    topics: int,
    write: bool,
) -> None:
    load = os.getloadavg()[0]
    if bootstrap_servers is None:
        check_disk(records * value_bytes)
    variants = [one for one in VARIANTS if one.kind in (kinds or KINDS)]
    with kafka(bootstrap_servers, version) as servers:
        measured = list(
            measure(servers, LAYOUTS[:topics], variants, rounds, partitions, records, value_bytes),
        )
    decoder = "with" if kafka_nextgen.accelerated else "**without**"
    run = about_the_run(f"Kafka {version}", *of_peers(PEERS), f"{decoder} the compiled decoder", load=load)
    body = f"{run}\n\n{report(measured)}"
    print(body)
    if write:
        write_section("consume", f"{body}\n\n{plot(measured)}")


if __name__ == "__main__":
    main()
