"""Memory that a consumer holds at most while it catches up on many partitions with a large backlog.

Run as ``python -m benchmarks.backlog_memory`` from the root of the repository; ``--write`` puts the figures on the page
docs/benchmarks/index.md. Every reading is a process of its own; it hands over the first records, does nothing for
some seconds, so that the client's buffers fill, and then reads all of the backlog. Peak memory is what the process held
at most beyond what it held when the imports were done. The target is ``fetch.buffer.bytes`` plus 100 MB.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from statistics import median

import click

from benchmarks.consuming.gauge import Reading
from benchmarks.consuming.run import Layout, filled_topic
from benchmarks.consuming.task import BUFFER_BYTES
from benchmarks.consuming.variants import Variant
from benchmarks.kafka import check_disk, kafka, which_kafka
from benchmarks.page import about_the_run, of_peers, spread, table, write_section
from benchmarks.plots import Bar, draw_bars
from kafka_nextgen import ConsumerConfig

VARIANTS = (
    Variant("tuned", "kafka_nextgen", "batches(10000), to_arrow()", "ours.arrow_by_ten_thousand"),
    Variant("tuned", "kafka_nextgen", "for record in consumer", "ours.iterate"),
    Variant("tuned", "confluent-kafka", "consume(10000)", "confluent.consume"),
    Variant("defaults", "kafka_nextgen", "batches(), to_arrow()", "ours.arrow", tuned=False),
    Variant("defaults", "kafka_nextgen", "for record in consumer", "ours.iterate", tuned=False),
    Variant("defaults", "confluent-kafka", "consume(10000)", "confluent.consume", tuned=False),
)

LAYOUT = Layout("none", 131_072)
BEYOND_BUFFER_MB = 100


def bound_mb(variant: Variant) -> float:
    """What ours may take: ``fetch.buffer.bytes``, as it is by default or tuned, and 100 MB."""
    by_default = ConsumerConfig.parse({"bootstrap.servers": "localhost:9092"}).fetch_buffer_bytes
    return (BUFFER_BYTES if variant.tuned else by_default) / 1e6 + BEYOND_BUFFER_MB


def memory_table(readings: Mapping[Variant, Sequence[Reading]]) -> str:
    rows = [
        (
            f"{variant.kind}: {variant.name}",
            spread([one.peak_mb for one in peaks]),
            f"{bound_mb(variant):.0f}" if _is_ours(variant) else "",
            spread([one.cpu_s_per_million for one in peaks]),
        )
        for variant, peaks in readings.items()
    ]
    return table(("reading", "peak, MB", "may take, MB", "CPU s per million"), rows)


def verdict(readings: Mapping[Variant, Sequence[Reading]]) -> str:
    ours = [(variant, max(one.peak_mb for one in peaks)) for variant, peaks in readings.items() if _is_ours(variant)]
    beyond = [f"{variant.kind}: {variant.name}" for variant, worst in ours if worst > bound_mb(variant)]
    told = f"took more than it may: {', '.join(beyond)}" if beyond else "always took less than it may"
    return f"kafka_nextgen {told}."


def _is_ours(variant: Variant) -> bool:
    return variant.client == "kafka_nextgen"


def plot(readings: Mapping[Variant, Sequence[Reading]]) -> str:
    bars = [
        Bar(f"{variant.kind}: {variant.name}", [one.peak_mb for one in peaks], _is_ours(variant))
        for variant, peaks in sorted(readings.items(), key=lambda item: median(one.peak_mb for one in item[1]))
    ]
    draw_bars("backlog-memory", {"peak memory beyond the imports": bars}, "MB")
    return (
        "![peak memory in MB of kafka_nextgen and confluent-kafka, with defaults and tuned for throughput]"
        "(plots/backlog-memory.svg)"
    )


@click.command(help=__doc__)
@which_kafka
@click.option("--rounds", default=3, show_default=True)
@click.option("--partitions", default=200, show_default=True)
@click.option("--partition-mb", default=10.0, show_default=True, help="The backlog of each.")
@click.option("--value-bytes", default=1000, show_default=True)
@click.option("--pause-s", default=3.0, show_default=True, help="How long nothing is read after the first records.")
@click.option("--write", is_flag=True, help="Put the figures on the page.")
def main(
    bootstrap_servers: str | None,
    version: str,
    rounds: int,
    partitions: int,
    partition_mb: float,
    value_bytes: int,
    pause_s: float,
    write: bool,
) -> None:
    load = os.getloadavg()[0]
    records = int(partitions * partition_mb * 1e6 / value_bytes)
    if bootstrap_servers is None:
        check_disk(records * value_bytes)
    with (
        kafka(bootstrap_servers, version) as servers,
        filled_topic(servers, partitions, records, value_bytes, LAYOUT) as topic,
    ):
        readings = topic.read_in_turns(VARIANTS, rounds, pause_s).readings
    run = about_the_run(f"Kafka {version}", *of_peers(["confluent-kafka"]), load=load)
    about = f"{partitions} partitions with {partition_mb:g} MB each, values of {value_bytes} bytes."
    body = "\n\n".join([run, f"{about} {verdict(readings)}", memory_table(readings)])
    print(body)
    if write:
        write_section("backlog_memory", f"{body}\n\n{plot(readings)}")


if __name__ == "__main__":
    main()
