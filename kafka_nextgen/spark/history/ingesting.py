"""Append event logs to the dataset, from files or the records of a topic, in a batch job or a streaming query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pyspark.sql import functions as f

from kafka_nextgen.spark.history.appending import Appended, append
from kafka_nextgen.spark.history.decoding import decoded, unzipped

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery
    from pyspark.sql.streaming.readwriter import DataStreamWriter

__all__ = ["ingest", "ingest_stream", "lines_of_files", "lines_of_records", "started"]

_GZIPPED = "*.gz"
#: All names that do not end in ``.gz``: Hadoop's patterns can only negate sets of characters.
_PLAIN = "{*[^z],*[^g]z,*[^.]gz}"


def ingest(spark: SparkSession, source: str | Sequence[str] | DataFrame, path: str, *, run: str = "batch") -> Appended:
    """Append the events of a source to the dataset, each once, even if the source is read again.

    Args:
        spark: The session.
        source: Files and directories of JSON lines, plain or ``.gz``; or the records of a topic with events, from
            ``spark.read.format("kafka_nextgen")``.
        path: The directory of the dataset.
        run: The name of this run in the refusals. A later run with the same name replaces its refusals.
    """
    lines = lines_of_files(spark, source) if isinstance(source, (str, Sequence)) else lines_of_records(source)
    return append(decoded(lines), path, run=run)


def ingest_stream(
    records: DataFrame,
    path: str,
    checkpoint: str,
    *,
    available_now: bool = False,
    every: str = "1 minute",
    run: str = "stream",
) -> StreamingQuery:
    """Start a query that does the same as ``ingest`` with each micro-batch.

    Args:
        records: A streaming frame of a topic with events, or of lines (column ``value``), such as
            ``spark.readStream.text``. Spark reads a file once, so files must be complete.
        path: The directory of the dataset.
        checkpoint: The directory of the query's checkpoint.
        available_now: End after all records or lines that exist now.
        every: The interval between micro-batches, unless ``available_now``.
        run: The name of the query in the refusals, unique among queries; the number of the micro-batch is added.
    """

    def append_batch(batch: DataFrame, number: int) -> None:
        append(batch, path, run=f"{run}-{number}")

    writer = decoded(lines_of_records(records)).writeStream.foreachBatch(append_batch)
    return started(writer, checkpoint, available_now=available_now, every=every)


def started(writer: DataStreamWriter, checkpoint: str, *, available_now: bool, every: str) -> StreamingQuery:
    """Start a query that runs at the interval ``every``, or once for all data that exists now."""
    writer = writer.option("checkpointLocation", checkpoint)
    writer = writer.trigger(availableNow=True) if available_now else writer.trigger(processingTime=every)
    return writer.start()


def lines_of_files(spark: SparkSession, paths: str | Sequence[str]) -> DataFrame:
    """Return the lines of files, as ``schemas.LINES``. One task reads each ``.gz`` file, as a whole."""
    of = [paths] if isinstance(paths, str) else list(paths)
    options = {"recursiveFileLookup": "true"}
    plain = spark.read.options(**options, pathGlobFilter=_PLAIN, lineSep="\n").text(of)
    zipped = spark.read.format("binaryFile").options(**options, pathGlobFilter=_GZIPPED).load(of)
    lines = plain.select(
        f.col("_metadata.file_path").alias("origin"),
        f.col("value").cast("binary").alias("line"),
        f.lit(None).cast("string").alias("problem"),
    )
    return lines.unionByName(unzipped(zipped.select(f.col("path").alias("origin"), "content")))


def lines_of_records(records: DataFrame) -> DataFrame:
    """Return the values of records, as ``schemas.LINES``; their origin is their partition, if known."""
    known = {"topic", "partition"}.issubset(records.columns)
    origin = f.concat_ws("-", "topic", f.col("partition").cast("string")) if known else f.lit("")
    line = f.col("value").cast("binary")
    return records.select(origin.alias("origin"), line.alias("line"), f.lit(None).cast("string").alias("problem"))
