"""Latency from a producer's call to a handler at a steady rate, ours next to its peers, over real Kafka.

Run as ``python -m benchmarks.latency`` from the root of the repository; ``--write`` puts the figures on the page
docs/benchmarks/index.md. A process writes all the time, with linger.ms=0; the clients take turns, each in a process
of its own and with its defaults, and before the first round each handles records uncounted, to warm the broker up. The
time is taken in front of the producer's call and put into the value, and taken again by the handler. The target is a
p99 no worse than that of confluent-kafka's poll().
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from statistics import median

import click

from benchmarks.delays.steady import steady
from benchmarks.delays.task import POINTS, Delays
from benchmarks.kafka import kafka, which_kafka
from benchmarks.page import about_the_run, in_digits, in_ms, of_peers, ratio, table, write_section
from benchmarks.plots import draw_percentiles

HANDLERS: Mapping[str, str] = {
    "kafka_nextgen, for record in consumer": "ours.iterate",
    "kafka_nextgen, for record in poll()": "ours.poll",
    "kafka_nextgen, async for": "ours.iterate_async",
    "confluent-kafka, poll()": "confluent.poll",
    "confluent-kafka, consume(5, 0.001)": "confluent.consume",
    "confluent-kafka, consume(10000, 0.001), tuned": "confluent.consume_much",
    "confluent-kafka, consume(10000, 1.0), tuned": "confluent.consume_much_at_once",
    "confluent-kafka, AIOConsumer.poll()": "confluent.poll_async",
    "aiokafka, async for": "with_aiokafka.iterate",
}

BASELINE = "confluent-kafka, poll()"

#: How long a handler handles in each round before it counts, and before the first round without counting.
WARM_UP_S, UNCOUNTED_S = 1.5, 8.0

Measured = Mapping[str, Sequence[Delays]]


def measure(
    bootstrap_servers: str,
    rounds: int,
    seconds: float,
    records_per_s: int,
    partitions: int,
    warm_up_s: float = WARM_UP_S,
    uncounted_s: float = UNCOUNTED_S,
) -> Measured:
    """Everybody once uncounted, then in turns; the topic is deleted at the end."""
    with steady(bootstrap_servers, partitions, records_per_s) as records:
        for handler in HANDLERS.values():
            records.handle(handler, 0.0, uncounted_s)
        return records.handle_in_turns(HANDLERS, rounds, warm_up_s, seconds)


def delays_table(measured: Measured, seconds: float) -> str:
    """Delays at three points, and the ratio of each p99 to the baseline's."""
    baseline = [one.at(0.99) for one in measured[BASELINE]]
    rows = [
        (
            name,
            *(in_ms([one.at(point) for one in each]) for point in (0.5, 0.99, 0.999)),
            in_digits(ratio([one.at(0.99) for one in each], baseline), 2),
            f"{median(one.cpu_s for one in each) / seconds:.1%}",
            f"{median(one.records for one in each):,.0f}",
        )
        for name, each in measured.items()
    ]
    return table(("handler", "p50, ms", "p99, ms", "p99.9, ms", "p99 by the baseline's", "CPU", "records"), rows)


def plot(measured: Measured) -> str:
    lines = {
        name: [(point * 100, median(one.at(point) for one in each) * 1000) for point in POINTS[:-1]]
        for name, each in measured.items()
    }
    draw_percentiles("latency", lines, "milliseconds")
    return (
        "![latency at p50, p90, p99 and p99.9 in milliseconds of each client, "
        "on a logarithmic scale](plots/latency.svg)"
    )


@click.command(help=__doc__)
@which_kafka
@click.option("--rounds", default=3, show_default=True)
@click.option("--seconds", default=12.0, show_default=True, help="How long each handler is looked at in each round.")
@click.option("--records-per-s", default=5000, show_default=True)
@click.option("--partitions", default=6, show_default=True)
@click.option("--write", is_flag=True, help="Put the figures on the page.")
def main(
    bootstrap_servers: str | None,
    version: str,
    rounds: int,
    seconds: float,
    records_per_s: int,
    partitions: int,
    write: bool,
) -> None:
    load = os.getloadavg()[0]
    with kafka(bootstrap_servers, version) as servers:
        measured = measure(servers, rounds, seconds, records_per_s, partitions)
    run = about_the_run(f"Kafka {version}", *of_peers(["confluent-kafka", "aiokafka"]), load=load)
    about = (
        f"{records_per_s:,} records a second of 100 bytes to {partitions} partitions, "
        f"{rounds} rounds of {seconds:g} s for each handler."
    )
    body = "\n\n".join([run, about, delays_table(measured, seconds)])
    print(body)
    if write:
        write_section("latency", f"{body}\n\n{plot(measured)}")


if __name__ == "__main__":
    main()
