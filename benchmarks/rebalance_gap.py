"""The longest time in which a partition that does not move is not read while its group rebalances.

Run as ``python -m benchmarks.rebalance_gap`` from the root of the repository; ``--write`` puts the figures on the page
docs/benchmarks/index.md. A member reads a topic that is written to all the time; a second one joins and leaves.
Measured is, per rebalance, the longest gap between two deliveries of a partition that the first member keeps, for
kafka_nextgen and confluent-kafka side by side. A member can't read while its own callback runs in the same thread, so
that time is told apart: the target is 50 ms beyond it. What the machine does to any reader shows in the gaps at other
times, while the other client's group rebalances.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from statistics import median

import click
from attrs import frozen

from benchmarks.gap.clients import READERS
from benchmarks.gap.run import Measured, measure
from benchmarks.kafka import create_topic, kafka, which_kafka
from benchmarks.page import about_the_run, of_peers, table, write_section
from benchmarks.plots import Bar, draw_bars

TARGET_MS = 50


@frozen
class Figures:
    """Of one client, in milliseconds."""

    client: str
    median: float
    longest: float
    beyond_callbacks: float
    otherwise: float
    longest_otherwise: float

    @classmethod
    def of(cls, measured: Measured) -> Figures:
        gaps, others = measured.longest(), measured.longest_otherwise()
        return cls(
            measured.client,
            median(gap.length_s for gap in gaps) * 1000,
            max(gap.length_s for gap in gaps) * 1000,
            max(gap.length_s - measured.in_callbacks_s(gap) for gap in gaps) * 1000,
            median(gap.length_s for gap in others) * 1000,
            max(gap.length_s for gap in others) * 1000,
        )


def gaps_table(figures: Sequence[Figures], callback_ms: int, rebalances: int) -> str:
    """The clients' figures, and how often the first one's goes into the last one's."""
    rows = [
        (
            one.client,
            *(
                f"{value:.0f}"
                for value in (one.median, one.longest, one.beyond_callbacks, one.otherwise, one.longest_otherwise)
            ),
        )
        for one in figures
    ]
    first, last = figures[0], figures[-1]
    ratios = (f"{last.median / first.median:.1f}", f"{last.longest / first.longest:.1f}")
    names = ("client", "median, ms", "longest", "beyond callbacks", "median, other times", "longest, other times")
    told = f"The longest gap in each of {rebalances} rebalances, callbacks of {callback_ms} ms:"
    return f"{told}\n\n{table(names, [*rows, ('ratio', *ratios, '', '', '')])}"


def plot(measured: Mapping[int, Sequence[Measured]]) -> str:
    panels = {
        f"callbacks of {callback_ms} ms": [
            Bar(one.client, [gap.length_s * 1000 for gap in one.longest()], is_ours=one is clients[0])
            for one in clients
        ]
        for callback_ms, clients in measured.items()
    }
    draw_bars("rebalance-gap", panels, "longest gap, milliseconds")
    return (
        "![longest gap without records in a rebalance, kafka_nextgen and confluent-kafka, "
        "with callbacks of 0 and 300 ms](plots/rebalance-gap.svg)"
    )


@click.command(help=__doc__)
@which_kafka
@click.option("--rebalances", default=20, show_default=True, help="How often each group rebalances.")
@click.option("--partitions", default=4, show_default=True, help="Of the topic; half of them move.")
@click.option("--records-per-s", default=2000, show_default=True, help="Written to each partition.")
@click.option("--callback-ms", multiple=True, default=(0, 300), show_default=True, help="What callbacks take.")
@click.option("--write", is_flag=True, help="Put the figures on the page.")
def main(
    bootstrap_servers: str | None,
    version: str,
    rebalances: int,
    partitions: int,
    records_per_s: int,
    callback_ms: Sequence[int],
    write: bool,
) -> None:
    load, measured = os.getloadavg()[0], dict[int, Sequence[Measured]]()
    with kafka(bootstrap_servers, version) as servers:
        for spent_ms in callback_ms:
            topic = create_topic(servers, partitions, name="rebalance-gap")
            about = (servers, topic, partitions, tuple(READERS), rebalances, spent_ms, records_per_s)
            measured[spent_ms] = measure(*about)
    figures = {spent_ms: [Figures.of(one) for one in clients] for spent_ms, clients in measured.items()}
    tables = [gaps_table(clients, spent_ms, rebalances) for spent_ms, clients in figures.items()]
    run = about_the_run(f"Kafka {version}", *of_peers(["confluent-kafka"]), load=load)
    body = "\n\n".join([run, *tables])
    print(body)
    if write:
        write_section("rebalance_gap", f"{body}\n\n{plot(measured)}")
    worst = max((clients[0] for clients in figures.values()), key=lambda one: one.beyond_callbacks)
    if worst.beyond_callbacks > TARGET_MS:
        missed = f"{worst.beyond_callbacks:.0f} ms beyond its callbacks, not {TARGET_MS} ms"
        sys.exit(f"{worst.client} missed the target: {missed}")


if __name__ == "__main__":
    main()
