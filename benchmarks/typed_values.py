"""Typed values into Arrow tables: ours next to the usual ways of Avro, JSON and Protobuf, over real Kafka.

Run as ``python -m benchmarks.typed_values`` from the root of the repository; ``--write`` puts the figures on the page
docs/benchmarks/index.md. Every reading is a process of its own that assigns itself all partitions from their
beginning, without a group. The usual ways read a quarter of the records, as they are many times slower, and their rate
is of those; ``wide`` has a tenth and ``nested`` half of the records. Before the first round all ways read the same
records, and the run ends if their rows differ.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import click

from benchmarks.decoding.formats import FORMATS, SHAPES
from benchmarks.decoding.report import about_the_values, readings_table, verdicts_table
from benchmarks.decoding.run import Measured, measure
from benchmarks.kafka import kafka, which_kafka
from benchmarks.page import about_the_run, of_peers, write_section

PEERS = ("confluent-kafka", "aiokafka", "fastavro", "orjson", "protobuf", "pyarrow")


def report(measured: Sequence[Measured]) -> str:
    """The targets, then a table for each format and shape."""
    parts = [verdicts_table(measured)]
    for one in measured:
        parts += [about_the_values(one), readings_table(one)]
    return "\n\n".join(parts)


@click.command(help=__doc__)
@which_kafka
@click.option("--rounds", default=5, show_default=True)
@click.option("--records", default=1_000_000, show_default=True)
@click.option("--partitions", default=6, show_default=True)
@click.option("--format", "formats", multiple=True, type=click.Choice(FORMATS), help="Only these; else all.")
@click.option("--shape", "shapes", multiple=True, type=click.Choice([*SHAPES]), help="Only these; else all.")
@click.option("--write", is_flag=True, help="Put the figures on the page.")
def main(
    bootstrap_servers: str | None,
    version: str,
    rounds: int,
    records: int,
    partitions: int,
    formats: Sequence[str],
    shapes: Sequence[str],
    write: bool,
) -> None:
    load = os.getloadavg()[0]
    with kafka(bootstrap_servers, version) as servers:
        measured = list(measure(servers, formats or FORMATS, shapes or [*SHAPES], rounds, partitions, records))
    body = f"{about_the_run(f'Kafka {version}', *of_peers(PEERS), load=load)}\n\n{report(measured)}"
    print(body)
    if write:
        write_section("typed_values", body)


if __name__ == "__main__":
    main()
