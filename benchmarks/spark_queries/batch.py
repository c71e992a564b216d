"""Batch queries: all records counted, and an aggregate that looks at every column."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from attrs import frozen
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from benchmarks.spark_queries.processor import cpu_s
from benchmarks.spark_queries.sources import Source, Topic
from benchmarks.turns import turns

__all__ = ["QUERIES", "Timing", "Timings", "measure_batch", "run_query"]

#: Rounds that are not counted: Java compiles what is used, and Python workers start.
UNCOUNTED = 2


@frozen
class Timing:
    """One query: how long it took to get the DataFrame, how long the query, and processor seconds of both."""

    load_s: float
    query_s: float
    cpu_s: float


Timings = Mapping[tuple[str, Source], Sequence[Timing]]


def count(records: DataFrame) -> int:
    """How many records there are."""
    return records.count()


def aggregate(records: DataFrame) -> int:
    """How many records there are, and one figure of each column."""
    figures = (
        f.count("*"),
        f.count("key"),
        f.sum(f.length("value")),
        f.max("topic"),
        f.sum("partition"),
        f.max("offset"),
        f.max("timestamp"),
        f.sum("timestampType"),
    )
    return int(records.agg(*figures).collect()[0][0])


QUERIES: Mapping[str, Callable[[DataFrame], int]] = {"count": count, "aggregate": aggregate}


def run_query(spark: SparkSession, source: Source, topic: Topic, query: str) -> Timing:
    """Run one query over all of ``topic``. Raises RuntimeError if it did not see each record once."""
    used, began = cpu_s(), time.perf_counter()
    records = spark.read.format(source.format).options(**source.options(topic)).load()
    loaded = time.perf_counter()
    seen = QUERIES[query](records)
    ended = time.perf_counter()
    if seen != topic.records:
        raise RuntimeError(f"{source.name} read {seen} records of {topic.name}, which has {topic.records}")
    return Timing(loaded - began, ended - loaded, cpu_s() - used)


def measure_batch(
    spark: SparkSession, sources: Sequence[Source], topic: Topic, rounds: int, uncounted: int = UNCOUNTED
) -> Timings:
    """Both queries by each source, in turns."""
    both = [(query, source) for query in QUERIES for source in sources]
    timings: dict[tuple[str, Source], list[Timing]] = {each: [] for each in both}
    for query, source in turns(both, uncounted + rounds):
        timings[query, source].append(run_query(spark, source, topic, query))
    return {each: found[uncounted:] for each, found in timings.items()}
