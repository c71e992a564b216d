"""How long it takes to start: importing a client, making a consumer, getting the first record.

Run as ``python -m benchmarks.startup`` from the root of the repository; ``--write`` puts the figures on the page
docs/benchmarks/index.md. Each start is a process of its own that assigns itself one partition. Bytecode and the
broker's connections are warm: each client starts once uncounted.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import click
from attrs import frozen

from benchmarks.consuming.run import Layout, filled_topic
from benchmarks.kafka import kafka, which_kafka
from benchmarks.page import about_the_run, in_ms, of_peers, ratio, table, write_section
from benchmarks.plots import Bar, draw_bars
from benchmarks.processes import run
from benchmarks.starting.start import CLIENTS
from benchmarks.turns import turns

OURS = "kafka_nextgen"
UNCOUNTED = 1


@frozen
class Start:
    """Seconds: importing the client, making its consumer, and from the consumer's making to the first record."""

    import_s: float
    construct_s: float
    first_record_s: float

    @property
    def all_s(self) -> float:
        return self.import_s + self.first_record_s


Starts = Mapping[str, Sequence[Start]]


def measure(bootstrap_servers: str, rounds: int) -> Starts:
    starts: dict[str, list[Start]] = {client: [] for client in CLIENTS}
    with filled_topic(bootstrap_servers, 1, 10, 100, Layout("none", 16_384)) as topic:
        for client in turns(list(CLIENTS), UNCOUNTED + rounds):
            starts[client].append(Start(**run("benchmarks.starting.start", client, bootstrap_servers, topic.name)))
    return {client: each[UNCOUNTED:] for client, each in starts.items()}


def starts_table(starts: Starts) -> str:
    """Times, and how often ours goes into each client's time for all of it."""
    ours = [one.all_s for one in starts[OURS]]
    rows = [
        (
            client,
            in_ms([one.import_s for one in each]),
            in_ms([one.construct_s for one in each]),
            in_ms([one.first_record_s for one in each]),
            in_ms([one.all_s for one in each]),
            f"{ratio([one.all_s for one in each], ours):.2g}",
        )
        for client, each in starts.items()
    ]
    names = ("client", "import, ms", "Consumer(), ms", "Consumer() to first record, ms", "all, ms", "by ours")
    return table(names, rows)


def plot(starts: Starts) -> str:
    panels = {
        title: [
            Bar(client, [getattr(one, part) * 1000 for one in each], client == OURS) for client, each in starts.items()
        ]
        for title, part in (("import", "import_s"), ("Consumer() to first record", "first_record_s"))
    }
    draw_bars("startup", panels, "milliseconds")
    return "![milliseconds of the import, and from Consumer() to the first record, of each client](plots/startup.svg)"


@click.command(help=__doc__)
@which_kafka
@click.option("--rounds", default=9, show_default=True)
@click.option("--write", is_flag=True, help="Put the figures on the page.")
def main(bootstrap_servers: str | None, version: str, rounds: int, write: bool) -> None:
    load = os.getloadavg()[0]
    with kafka(bootstrap_servers, version) as servers:
        starts = measure(servers, rounds)
    peers = of_peers(client for client in CLIENTS if client != OURS)
    body = f"{about_the_run(f'Kafka {version}', *peers, load=load)}\n\n{starts_table(starts)}"
    print(body)
    if write:
        write_section("startup", f"{body}\n\n{plot(starts)}")


if __name__ == "__main__":
    main()
