"""Streaming queries: a topic read in many triggers, with available-now, into a sink that drops everything."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence

from attrs import frozen
from pyspark.sql import SparkSession

from benchmarks.spark_queries.processor import cpu_s
from benchmarks.spark_queries.sources import Source, Topic
from benchmarks.turns import turns

__all__ = ["Run", "Runs", "measure_streaming", "run_stream"]

UNCOUNTED = 1


@frozen
class Run:
    """One query: the seconds of each trigger that read records, and processor seconds of all.

    The first trigger is told for itself: it asks Kafka where the topic begins and ends.
    """

    first_s: float
    later_s: Sequence[float]
    cpu_s: float


Runs = Mapping[Source, Sequence[Run]]


def run_stream(spark: SparkSession, source: Source, topic: Topic, per_trigger: int) -> Run:
    """Read all of ``topic``, so many records in each trigger. Raises RuntimeError if it did not see each once."""
    used = cpu_s()
    stream = spark.readStream.format(source.format).options(**source.options(topic))
    records = stream.option("maxOffsetsPerTrigger", per_trigger).load()
    with tempfile.TemporaryDirectory() as checkpoint:
        writer = records.writeStream.format("noop").option("checkpointLocation", checkpoint)
        query = writer.trigger(availableNow=True).start()
        query.awaitTermination()
        progress = [each for each in query.recentProgress if each.numInputRows]
    seen = sum(each.numInputRows for each in progress)
    if seen != topic.records:
        raise RuntimeError(f"{source.name} read {seen} records of {topic.name}, which has {topic.records}")
    first, *later = (each.durationMs["triggerExecution"] / 1000 for each in progress)
    return Run(first, later, cpu_s() - used)


def measure_streaming(
    spark: SparkSession,
    sources: Sequence[Source],
    topic: Topic,
    per_trigger: int,
    rounds: int,
    uncounted: int = UNCOUNTED,
) -> Runs:
    """A query by each source, in turns."""
    runs: dict[Source, list[Run]] = {source: [] for source in sources}
    for source in turns(sources, uncounted + rounds):
        runs[source].append(run_stream(spark, source, topic, per_trigger))
    return {source: found[uncounted:] for source, found in runs.items()}
