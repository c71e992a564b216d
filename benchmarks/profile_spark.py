"""Where the time of kafka_nextgen as a Spark source goes: what the Python processes of a query do.

Run as ``python -m benchmarks.profile_spark`` from the root of the repository; ``--write`` puts the figures on the page
docs/benchmarks/index.md. One query runs again and again, while py-spy looks so many times a second at what each
Python process that Spark starts is doing. Spark starts one for each query to plan it, and keeps the workers that read.
py-spy must be allowed to look at its children, as it is on Linux.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator

import click

from benchmarks.consuming.run import Layout, filled_topic
from benchmarks.kafka import kafka, which_kafka
from benchmarks.page import about_the_run, of_peers, write_section
from benchmarks.profiling.sampling import sampled
from benchmarks.spark import BATCH_BYTES, PARTITIONS
from benchmarks.spark_queries.again import Again
from benchmarks.spark_queries.batch import QUERIES
from benchmarks.spark_queries.shares import Part, shares_of, shares_table
from benchmarks.spark_queries.sources import OURS, READY_MADE


def measure(bootstrap_servers: str, records: int, times: int, hz: int) -> Iterator[tuple[str, Counter[Part]]]:
    """Each query, by ours and from ready-made batches, and what the processes did."""
    with filled_topic(bootstrap_servers, PARTITIONS, records, 100, Layout("none", BATCH_BYTES)) as topic:
        for query in QUERIES:
            for source in (OURS, READY_MADE):
                about = (source.name, query, times, bootstrap_servers, topic.name, PARTITIONS, records, 100)
                lines = sampled("benchmarks.spark_queries.again", Again(*about), hz, subprocesses=True)
                yield f"{query}, {source.name}", shares_of(lines)


@click.command(help=__doc__)
@which_kafka
@click.option("--records", default=1_000_000, show_default=True)
@click.option("--rounds", "times", default=20, show_default=True, help="How often each query runs.")
@click.option("--hz", default=100, show_default=True, help="Samples a second.")
@click.option("--write", is_flag=True, help="Put the figures on the page.")
def main(bootstrap_servers: str | None, version: str, records: int, times: int, hz: int, write: bool) -> None:
    load = os.getloadavg()[0]
    with kafka(bootstrap_servers, version) as servers:
        found = dict(measure(servers, records, times, hz))
    run = about_the_run(f"Kafka {version}", *of_peers(["py-spy", "pyspark", "pyarrow"]), load=load)
    body = f"{run}\n\n{shares_table(found, times, hz)}"
    print(body)
    if write:
        write_section("profile_spark", body)


if __name__ == "__main__":
    main()
