"""The longest time in which a partition that does not move is not read while its group rebalances.

Run as ``python -m benchmarks.rebalance_gap`` from the root of the repository. A member reads a topic that is written
to all the time; a second one joins and leaves. Measured is, per rebalance, the longest gap between two deliveries of
a partition that the first member keeps, for kafka_nextgen and confluent-kafka side by side. A member can't read
while its own callback runs in the same thread, so that time is told apart: the target is 50 ms beyond it. What the
machine does to any reader shows in the gaps at other times, while the other client's group rebalances.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from statistics import median

import click
from attrs import frozen
from rich.console import Console
from rich.table import Table

from benchmarks.gap.clients import READERS
from benchmarks.gap.run import Measured, measure
from benchmarks.kafka import create_topic, kafka

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


def show(figures: Sequence[Figures], callback_ms: int, rebalances: int) -> None:
    """Print the clients' figures, and how often the first one's goes into the last one's."""
    title = f"longest gap in each of {rebalances} rebalances, callbacks of {callback_ms} ms; milliseconds"
    table = Table(title=title, title_justify="left")
    for name in ("client", "median", "longest", "beyond callbacks", "median, other times", "longest, other times"):
        table.add_column(name, justify="left" if name == "client" else "right")
    for one in figures:
        values = (one.median, one.longest, one.beyond_callbacks, one.otherwise, one.longest_otherwise)
        table.add_row(one.client, *(f"{value:.0f}" for value in values))
    first, last = figures[0], figures[-1]
    table.add_row("ratio", f"{last.median / first.median:.1f}", f"{last.longest / first.longest:.1f}", "", "", "")
    Console(width=110).print(table)


@click.command(help=__doc__)
@click.option("--bootstrap-servers", help="A cluster to use; without it a broker is started as the tests do.")
@click.option("--kafka", "version", default="4.3.0", show_default=True, help="The broker to start, or `embedded`.")
@click.option("--rebalances", default=20, show_default=True, help="How often each group rebalances.")
@click.option("--partitions", default=4, show_default=True, help="Of the topic; half of them move.")
@click.option("--records-per-s", default=2000, show_default=True, help="Written to each partition.")
@click.option("--callback-ms", multiple=True, default=(0, 300), show_default=True, help="What callbacks take.")
def main(
    bootstrap_servers: str | None,
    version: str,
    rebalances: int,
    partitions: int,
    records_per_s: int,
    callback_ms: Sequence[int],
) -> None:
    worst_ms = 0.0
    with kafka(bootstrap_servers, version) as servers:
        for spent_ms in callback_ms:
            topic = create_topic(servers, partitions, name="rebalance-gap")
            measured = measure(servers, topic, partitions, tuple(READERS), rebalances, spent_ms, records_per_s)
            figures = [Figures.of(one) for one in measured]
            show(figures, spent_ms, rebalances)
            worst_ms = max(worst_ms, figures[0].beyond_callbacks)
    if worst_ms > TARGET_MS:
        sys.exit(f"{figures[0].client} missed the target: {worst_ms:.0f} ms beyond its callbacks, not {TARGET_MS} ms")


if __name__ == "__main__":
    main()
