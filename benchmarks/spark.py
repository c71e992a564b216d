"""Kafka into PySpark by Spark's built-in source, by kafka_nextgen, and from Arrow batches that are ready.

Run as ``python -m benchmarks.spark`` from the root of the repository; ``--write`` puts the figures on the page
docs/benchmarks/index.md. All queries of a case run in one session with local[2], in turns, after two rounds that are
not counted. Only starts have a session, and a process, of their own.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click
from attrs import frozen

from benchmarks.consuming.run import Layout, filled_topic
from benchmarks.kafka import check_disk, kafka, which_kafka
from benchmarks.page import write_section
from benchmarks.processes import ask
from benchmarks.spark_queries.batch import measure_batch
from benchmarks.spark_queries.ranges import behind_a_proxy, make_range, measure_ranges
from benchmarks.spark_queries.report import (
    batch_table,
    range_table,
    starts_table,
    streaming_table,
    targets_table,
    whole_report,
)
from benchmarks.spark_queries.session import session
from benchmarks.spark_queries.sources import BUILT_IN, OURS, READY_MADE, SOURCES, Source, Topic
from benchmarks.spark_queries.start import Start, StartTask
from benchmarks.spark_queries.streaming import measure_streaming
from benchmarks.spark_queries.targets import judged, judged_triggers
from benchmarks.turns import turns

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PARTITIONS = 4
BATCH_BYTES = 128 * 1024

#: Records of a trigger that has hardly anything to do, and how many such triggers a query has.
FEW, TRIGGERS = 40, 30

#: Records of the range in the middle of a partition.
RANGE = 10_000


@frozen
class Scope:
    """How much is measured: records of a topic, of a trigger, and rounds."""

    version: str
    bootstrap_servers: str
    records: int
    per_trigger: int
    rounds: int


@contextmanager
def topic_of(scope: Scope, records: int, value_bytes: int = 100, compression: str = "none") -> Iterator[Topic]:
    """A filled topic."""
    layout = Layout(compression, BATCH_BYTES)
    with filled_topic(scope.bootstrap_servers, PARTITIONS, records, value_bytes, layout) as filled:
        yield Topic(scope.bootstrap_servers, filled.name, PARTITIONS, records, value_bytes)


def batch(spark: SparkSession, scope: Scope, value_bytes: int = 100, compression: str = "none") -> str:
    """Both queries by every source."""
    with topic_of(scope, scope.records, value_bytes, compression) as topic:
        timings = measure_batch(spark, SOURCES, topic, scope.rounds)
    is_judged = (value_bytes, compression) == (100, "none")
    return "\n\n".join([*([targets_table(judged(timings))] if is_judged else []), batch_table(timings)])


def streaming(spark: SparkSession, scope: Scope) -> str:
    """A topic in large triggers."""
    with topic_of(scope, scope.records) as topic:
        runs = measure_streaming(spark, SOURCES, topic, scope.per_trigger, scope.rounds)
    return f"{targets_table(judged_triggers(runs))}\n\n{streaming_table(runs)}"


def small_triggers(spark: SparkSession, scope: Scope) -> str:
    """Triggers of few records, whose time is what a trigger takes at least."""
    with topic_of(scope, FEW * TRIGGERS) as topic:
        return streaming_table(measure_streaming(spark, SOURCES, topic, FEW, scope.rounds))


def ranges(spark: SparkSession, scope: Scope) -> str:
    """The bytes of a range; its broker is one of its own, behind a proxy."""
    with behind_a_proxy(scope.version) as proxied:
        part = make_range(proxied.bootstrap_servers, max(scope.records // 4, 2 * RANGE), RANGE, 100, BATCH_BYTES)
        return range_table(part, measure_ranges(spark, (BUILT_IN, OURS), proxied, part))


def starts(scope: Scope) -> str:
    """New sessions, in turns."""
    from tests.support.spark_connector import spark_connector_jars

    jars = spark_connector_jars()
    found: dict[Source, list[Start]] = {source: [] for source in (BUILT_IN, OURS, READY_MADE)}
    with topic_of(scope, PARTITIONS) as topic:
        for source in turns(list(found), scope.rounds):
            needed = tuple(jars) if source is BUILT_IN else ()
            about = (source.name, scope.bootstrap_servers, topic.name, PARTITIONS, PARTITIONS, needed)
            found[source].append(ask("benchmarks.spark_queries.start", StartTask(*about), Start))
    return starts_table(found)


#: Each case by its name: what it is about, and how it is measured in a session.
CASES: Mapping[str, tuple[str, Callable[[SparkSession, Scope], str]]] = {
    "batch": ("Values of 100 bytes, uncompressed", batch),
    "lz4": ("Values of 100 bytes, lz4", lambda spark, scope: batch(spark, scope, compression="lz4")),
    "large": ("Values of 1,000 bytes, uncompressed", lambda spark, scope: batch(spark, scope, value_bytes=1000)),
    "streaming": ("A streaming query, large triggers", streaming),
    "small-triggers": (f"A streaming query, triggers of {FEW} records", small_triggers),
    "ranges": ("A range in the middle of a partition", ranges),
}
STARTS = "starts"


def measure(scope: Scope, cases: Sequence[str]) -> Iterator[str]:
    """Each case as a paragraph and its tables."""
    if set(cases) & set(CASES):
        with session() as spark:
            for name in (name for name in CASES if name in cases):
                about, measured = CASES[name]
                yield f"{about}:\n\n{measured(spark, scope)}"
    if STARTS in cases:
        yield f"The first query of a new session:\n\n{starts(scope)}"


@click.command(help=__doc__)
@which_kafka
@click.option("--rounds", default=7, show_default=True)
@click.option("--records", default=1_000_000, show_default=True)
@click.option("--per-trigger", default=250_000, show_default=True, help="Records of a large trigger.")
@click.option("--case", "cases", multiple=True, type=click.Choice([*CASES, STARTS]), help="Only these; else all.")
@click.option("--write", is_flag=True, help="Put the figures on the page.")
def main(
    bootstrap_servers: str | None,
    version: str,
    rounds: int,
    records: int,
    per_trigger: int,
    cases: Sequence[str],
    write: bool,
) -> None:
    load = os.getloadavg()[0]
    if bootstrap_servers is None:
        check_disk(records * 1000)
    with kafka(bootstrap_servers, version) as servers:
        parts = list(measure(Scope(version, servers, records, per_trigger, rounds), cases or [*CASES, STARTS]))
    body = whole_report(version, records, PARTITIONS, rounds, parts, load)
    print(body)
    if write:
        write_section("spark", body)


if __name__ == "__main__":
    main()
