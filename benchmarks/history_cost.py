"""What the event log of a group's history costs a member: throughput and delays with and without it, over real Kafka.

Run as ``python -m benchmarks.history_cost`` from the root of the repository; ``--write`` puts the figures on the page
docs/benchmarks/index.md. The same member reads the same topic with and without ``history.log.dir`` in turns, each
time in a process of its own and as the only one of its group, with auto-commit.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import click

from benchmarks.consuming.run import LAYOUTS, Measured, filled_topic
from benchmarks.consuming.variants import Variant
from benchmarks.delays.steady import steady
from benchmarks.delays.task import Delays
from benchmarks.kafka import kafka, which_kafka
from benchmarks.page import about_the_run, in_digits, in_ms, per_second, ratio, table, write_section

READERS = (
    (Variant("objects", "without", "for record in consumer", "members.iterate"),
     Variant("objects", "with the log", "for record in consumer", "members.iterate_logged")),
    (Variant("columns", "without", "batches(50000), to_arrow()", "members.arrow"),
     Variant("columns", "with the log", "batches(50000), to_arrow()", "members.arrow_logged")),
)  # fmt: skip
WITHOUT, WITH = "without", "with the log"
HANDLERS = {WITHOUT: "members.iterate", WITH: "members.iterate_logged"}
#: How long a member may take to join before delays count, in seconds.
WARM_UP_S = 6.0


def rates_table(measured: Measured) -> str:
    """Records a second, and the ratio."""
    rows = []
    for without, logged in READERS:
        plain = [each.per_second for each in measured.readings[without]]
        rates = [each.per_second for each in measured.readings[logged]]
        rows.append((without.call, per_second(plain), per_second(rates), in_digits(ratio(rates, plain), 2)))
    return table(("reading", "without the log", "with it", "ratio"), rows)


def delays_table(delays: dict[str, list[Delays]]) -> str:
    """Delays at two points, and the ratio."""
    rows = []
    for name, point in (("p50", 0.5), ("p99", 0.99)):
        plain = [one.at(point) for one in delays[WITHOUT]]
        logged = [one.at(point) for one in delays[WITH]]
        rows.append((name, in_ms(plain), in_ms(logged), in_digits(ratio(logged, plain), 2)))
    return table(("delay, ms", "without the log", "with it", "ratio"), rows)


@click.command(help=__doc__)
@which_kafka
@click.option("--rounds", default=5, show_default=True)
@click.option("--records", default=5_000_000, show_default=True)
@click.option("--seconds", default=12.0, show_default=True, help="How long delays are looked at in each round.")
@click.option("--records-per-s", default=5000, show_default=True)
@click.option("--partitions", default=6, show_default=True)
@click.option("--write", is_flag=True, help="Put the figures on the page.")
def main(
    bootstrap_servers: str | None,
    version: str,
    rounds: int,
    records: int,
    seconds: float,
    records_per_s: int,
    partitions: int,
    write: bool,
) -> None:
    load = os.getloadavg()[0]
    variants: Sequence[Variant] = [variant for pair in READERS for variant in pair]
    with kafka(bootstrap_servers, version) as servers:
        with filled_topic(servers, partitions, records, 100, LAYOUTS[0]) as topic:
            measured = topic.read_in_turns(variants, rounds)
        with steady(servers, partitions, records_per_s) as feed:
            delays = feed.handle_in_turns(HANDLERS, rounds, WARM_UP_S, seconds)
    run = about_the_run(f"Kafka {version}", load=load)
    about = (
        f"{records:,} records of 100 bytes in {partitions} partitions; then {records_per_s:,} a second, of which "
        f"delays are taken for {seconds:g} s. {rounds} rounds."
    )
    body = "\n\n".join([run, about, rates_table(measured), delays_table(delays)])
    print(body)
    if write:
        write_section("history_cost", body)


if __name__ == "__main__":
    main()
