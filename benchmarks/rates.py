"""What a record costs, and how long it takes, from one record a second to 50,000, in one partition to 5,000.

Run as ``python -m benchmarks.rates`` from the root of the repository; ``--write`` writes the page
docs/benchmarks/rates.md with its plots, and puts it into the menu. Records are written and handled as for
``benchmarks.latency``. The cases come one after the other, and in each all clients take turns; then those that wait for
records of many partitions do. Java keeps one process. All this takes a little less than 40 minutes.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import click
from attrs import frozen

from benchmarks.delays.java import CLIENT_VERSION, Java, java
from benchmarks.delays.steady import Elsewhere, steady
from benchmarks.idling.report import draw_idle
from benchmarks.kafka import kafka, which_kafka
from benchmarks.many_partitions import PEER, Idle, measure_idle
from benchmarks.pacing.cases import BY_PARTITIONS, BY_RATE, CASES, HANDLERS, JAVA, Case, Rounds
from benchmarks.pacing.page import PAGE_NAME, in_menu, page_text
from benchmarks.pacing.report import Axis, axis_tables, draw_axis, idle_table
from benchmarks.page import PAGE, about_the_run, of_peers, write_page, write_section
from benchmarks.plots import PLOTS

RATES = Axis("records a second", lambda case: case.records_per_s)
PARTITIONS = Axis("partitions", lambda case: case.partitions)

#: How long each handler handles the most records a second before anything counts: broker and Java compile meanwhile.
UNCOUNTED_S = 6.0

IDLE_PARTITIONS, SETTLE_S, IDLE_S = 1000, 1.5, 3.0


@frozen
class Measured:
    """The rounds of all cases, and of the clients that wait."""

    cases: Mapping[Case, Rounds]
    idle: Idle

    def of(self, cases: Sequence[Case]) -> Mapping[Case, Rounds]:
        return {case: self.cases[case] for case in cases}


def measure(
    bootstrap_servers: str,
    cases: Sequence[Case],
    handlers: Mapping[str, str],
    rounds: int,
    elsewhere: Elsewhere,
    uncounted_s: float = UNCOUNTED_S,
) -> Mapping[Case, Rounds]:
    """Everybody once uncounted at the highest rate, then case by case in turns."""
    most = max(cases, key=lambda case: case.records_per_s)
    with steady(bootstrap_servers, most.partitions, most.records_per_s, elsewhere=elsewhere) as records:
        for handler in handlers.values():
            records.handle(handler, 0.0, uncounted_s)
    measured = {}
    for case in cases:
        with steady(bootstrap_servers, case.partitions, case.records_per_s, elsewhere=elsewhere) as records:
            measured[case] = records.handle_in_turns(handlers, rounds, case.warm_up_s, case.seconds)
    return measured


def measure_all(bootstrap_servers: str, rounds: int, of_java: Java) -> Measured:
    cases = measure(bootstrap_servers, CASES, HANDLERS, rounds, {HANDLERS[JAVA]: of_java.handle})
    waits = {JAVA: of_java.wait}
    return Measured(cases, measure_idle(bootstrap_servers, IDLE_PARTITIONS, rounds, SETTLE_S, IDLE_S, waits))


def figures(measured: Measured, run: str) -> Mapping[str, str]:
    """The tables, by the place of the page that they are for."""
    return {
        "run": run,
        "rates": axis_tables(RATES, measured.of(BY_RATE)),
        "partitions": axis_tables(PARTITIONS, measured.of(BY_PARTITIONS)),
        "idle": idle_table(measured.idle, PEER),
    }


def draw(measured: Measured, folder: Path = PLOTS) -> None:
    draw_axis("rates-by-rate", RATES, measured.of(BY_RATE), folder)
    draw_axis("rates-by-partitions", PARTITIONS, measured.of(BY_PARTITIONS), folder)
    draw_idle("rates-idle", measured.idle, folder)


@click.command(help=__doc__)
@which_kafka
@click.option("--rounds", default=5, show_default=True)
@click.option("--write", is_flag=True, help="Write the page.")
def main(bootstrap_servers: str | None, version: str, rounds: int, write: bool) -> None:
    load = os.getloadavg()[0]
    with java() as of_java, kafka(bootstrap_servers, version) as servers:
        measured = measure_all(servers, rounds, of_java)
    peers = of_peers([PEER, "aiokafka", "kafka-python"])
    run = about_the_run(f"Kafka {version}", *peers, f"kafka-clients {CLIENT_VERSION}", load=load)
    text = page_text(rounds, IDLE_PARTITIONS, figures(measured, run))
    print(text)
    if write:
        draw(measured)
        write_page(PAGE_NAME, text)
        write_section(PAGE_NAME, in_menu(), PAGE)


if __name__ == "__main__":
    main()
