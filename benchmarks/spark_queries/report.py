"""The queries as tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import median

from benchmarks.page import about_the_run, in_ms, of_peers, spread, table
from benchmarks.spark_queries.batch import QUERIES, Timings
from benchmarks.spark_queries.ranges import Fetched, Range
from benchmarks.spark_queries.sources import OURS, Source
from benchmarks.spark_queries.start import Start
from benchmarks.spark_queries.streaming import Runs
from benchmarks.spark_queries.targets import Target

__all__ = ["batch_table", "by_ours", "range_table", "starts_table", "streaming_table", "targets_table", "whole_report"]


def whole_report(version: str, records: int, partitions: int, rounds: int, parts: Sequence[str], load: float) -> str:
    """What was measured on, how much, and these parts."""
    from tests.support.spark_connector import CONNECTOR_VERSION

    connector = f"spark-sql-kafka-0-10 {CONNECTOR_VERSION}"
    run = about_the_run(f"Kafka {version}", *of_peers(["pyspark", "pyarrow"]), connector, load=load)
    size = f"{records:,} records in {partitions} partitions; local[2], {rounds} rounds."
    return "\n\n".join([run, size, *parts])


def targets_table(judged: Iterable[tuple[Target, float]]) -> str:
    """How many times as fast ours is; what misses its target is in bold."""
    rows = [(target.what, target.told, target.told_of(ratio)) for target, ratio in judged]
    return table(("times as fast", "target", "reached"), rows)


def batch_table(timings: Timings) -> str:
    """A row for each query and source; the ratio is how often ours goes into its time."""
    rows = []
    for query in QUERIES:
        ours = timings.get((query, OURS), ())
        for source in (source for asked, source in timings if asked == query):
            found = timings[query, source]
            rows.append(
                (
                    f"{query}: {source.name}",
                    in_ms([one.query_s for one in found]),
                    by_ours([one.query_s for one in found], [one.query_s for one in ours]),
                    in_ms([one.load_s for one in found]),
                    spread([one.cpu_s for one in found]),
                    by_ours([one.cpu_s for one in found], [one.cpu_s for one in ours]),
                )
            )
    return table(("query", "ms", "by ours", "load(), ms", "CPU s, with the broker's", "by ours"), rows)


def streaming_table(runs: Runs) -> str:
    """A row for each source: its triggers of all rounds, the first of each query for itself."""
    ours = [each for run in runs.get(OURS, ()) for each in run.later_s]
    rows = []
    for source, found in runs.items():
        triggers = [each for run in found for each in run.later_s]
        first = [run.first_s for run in found]
        cpu = [run.cpu_s for run in found]
        rows.append((source.name, in_ms(triggers), by_ours(triggers, ours), in_ms(first), spread(cpu)))
    names = ("source", "a trigger, ms", "by ours", "the first of a query, ms", "CPU s of a query, with the broker's")
    return table(names, rows)


def starts_table(starts: Mapping[Source, Sequence[Start]]) -> str:
    """A row for each source: a session, its first query with its parts, and the next."""
    rows = [
        (
            source.name,
            in_ms([one.session_s for one in found]),
            in_ms([one.first_s for one in found]),
            in_ms([one.load_s for one in found]),
            in_ms([one.plan_s for one in found]),
            in_ms([one.run_s for one in found]),
            in_ms([one.second_s for one in found]),
            spread([one.cpu_s for one in found]),
        )
        for source, found in starts.items()
    ]
    parts = ("its load(), ms", "its planning, ms", "its run, ms")
    names = ("source", "the session, ms", "first query, ms", *parts, "second query, ms", "CPU s of all")
    return table(names, rows)


def range_table(part: Range, fetched: Mapping[Source, Fetched]) -> str:
    """A row for each source: what it fetched, next to the batches that have the range."""
    rows = [
        (
            source.name,
            f"{found.answers:,}",
            f"{found.wire_bytes:,}",
            f"{found.wire_bytes / part.least_bytes:.2f}",
            f"{(found.wire_bytes - part.least_bytes) / part.batch_bytes:.1f}",
        )
        for source, found in fetched.items()
    ]
    told = (
        f"{part.end - part.begin:,} records from offset {part.begin:,} on are in {len(part.batches)} batches of "
        f"{part.least_bytes:,} bytes, which a broker sends whole:"
    )
    names = ("source", "answers to fetches", "bytes fetched", "by those of the batches", "batches beyond them")
    return f"{told}\n\n{table(names, rows)}"


def by_ours(theirs: Sequence[float], ours: Sequence[float]) -> str:
    """How often the median of ours goes into theirs; empty if one was not measured."""
    return f"{median(theirs) / median(ours):.2f}" if theirs and ours else ""
