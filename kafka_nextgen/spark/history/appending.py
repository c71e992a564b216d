"""Append events to the dataset, each once.

The identity of an event is its cluster, group, source and ``seq``. Events that the dataset already has are not written
again, so a batch can be appended again after a crash. Files appear only when they are complete, because Spark's
committers rename them.

If events with the same identity and day differ within a batch, the event that sorts first is kept, and an ``error``
event reports that. If they are in different batches, the event that was written first is kept.

To find duplicates, only the identities of events in the days, groups and time range of the batch are read. There should
be only one writer at a time: two that append the same events concurrently may both write them. Answers are correct even
then, because ``History`` ignores duplicates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pyspark.sql import functions as f

from kafka_nextgen.history.events import Event, EventKind, contradiction
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.spark.history.dataset import day_column, folder_column, parquet_if_any
from kafka_nextgen.spark.history.schemas import DATASET, EVENT_NAMES, EVENTS, REFUSED

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, Row, SparkSession

__all__ = ["REFUSED_FOLDER", "Appended", "append"]

#: The directory of refusals in the dataset's directory. When Spark reads, it ignores names that begin with ``_``.
REFUSED_FOLDER = "_refused"

_FOLDER = ["day", "folder"]
_IDENTITY = ["cluster", "group", "source", "seq"]
_MOST_FOLDERS = 200


@frozen
class Appended:
    """The result of appending a batch.

    Args:
        events: The number of events in the batch, including duplicates.
        refused: The number of lines with each problem, by its name; events with ``later version`` are kept.
    """

    events: int
    refused: Mapping[str, int]


def append(decoded: DataFrame, path: str, *, run: str = "batch") -> Appended:
    """Append the new events of a batch, and write the refusals.

    Args:
        decoded: Rows of ``schemas.DECODED``, or only of ``schemas.EVENTS``. It is computed once.
        path: The directory of the dataset; created if it is missing.
        run: The name of the batch in the refusals. A later batch with the same name replaces its refusals.
    """
    kept = decoded.persist()
    try:
        events = kept.where(f.col("kind").isNotNull())
        events = events.select(*EVENT_NAMES, day_column().alias("day"), folder_column().alias("folder"))
        touched = _touched(events)
        if touched:
            # Ordered by time, so that queries can skip files by their time ranges.
            new = _new(events, path, touched).sortWithinPartitions(*_FOLDER, "at").select(*DATASET.names)
            new.write.mode("append").partitionBy(*_FOLDER).parquet(path)
        refused = _write_refused(kept, path, run) if "problem" in kept.columns else {}
        return Appended(sum(each.events for each in touched), refused)
    finally:
        kept.unpersist()


def _touched(events: DataFrame) -> list[Row]:
    """Return the folders of the dataset for the batch, with the number, first and last time (ms) of their events."""
    figures = f.count("*").alias("events"), f.min("at").alias("first"), f.max("at").alias("last")
    return events.groupBy(*_FOLDER).agg(*figures).collect()


def _new(events: DataFrame, path: str, touched: Sequence[Row]) -> DataFrame:
    """Return the new events, each once; those of a folder in one task, so that writing needs no other shuffle."""
    once = _once(events.repartition(*_FOLDER))
    there = _there(events.sparkSession, path, touched)
    return once if there is None else once.join(there, [*_FOLDER, *_IDENTITY], "left_anti")


def _once(events: DataFrame) -> DataFrame:
    """Return each identity once; if its events differ, return the first and an error, as ``events_by_group`` does."""
    content = f.struct(*EVENT_NAMES)
    of_identity = events.groupBy(*_FOLDER, *_IDENTITY).agg(f.min(content).alias("least"), f.max(content).alias("most"))
    least = f.col("least")
    both = f.array(least, _contradiction(least))
    kept = f.when(least.eqNullSafe(f.col("most")), f.slice(both, 1, 1)).otherwise(both)
    return of_identity.select(*_FOLDER, f.explode(kept).alias("kept")).select(*_FOLDER, "kept.*")


def _contradiction(event: Column) -> Column:
    """Return ``events.contradiction`` of this event."""
    error = contradiction(Event(0, 0, "", "", "", EventKind.ERROR))
    values = {name: event[name] for name in ("at", "seq", "source", "cluster", "group", "protocol")}
    values |= {"kind": f.lit(error.kind.value), "cause": f.lit(error.cause), "reason": f.lit(error.reason)}
    values["v"] = f.lit(error.v)
    return f.struct(*(values.get(of.name, f.lit(None)).cast(of.dataType).alias(of.name) for of in EVENTS))


def _there(spark: SparkSession, path: str, touched: Sequence[Row]) -> DataFrame | None:
    """Return identities in the dataset, of the days, groups and times of the batch; None if no such folder exists."""
    days = sorted({str(each.day) for each in touched})
    folders = sorted({each.folder for each in touched})
    days_glob = f"{{{','.join(days)}}}" if len(days) <= _MOST_FOLDERS else "*"
    folders_glob = f"{{{','.join(folders)}}}" if len(folders) <= _MOST_FOLDERS else "*"
    there = parquet_if_any(spark, f"{path}/day={days_glob}/folder={folders_glob}", DATASET, base=path)
    if there is None:
        return None
    first, last = min(each.first for each in touched), max(each.last for each in touched)
    return there.where(f.col("at").between(first, last)).select(*_FOLDER, *_IDENTITY)


def _write_refused(kept: DataFrame, path: str, run: str) -> dict[str, int]:
    bad = kept.where(f.col("problem").isNotNull())
    counted = bad.groupBy(f.col("problem").alias("reason")).agg(
        f.count("*").alias("count"),
        f.min(f.struct("origin", "text")).alias("seen"),
    )
    rows = counted.select("reason", "count", "seen.text", "seen.origin", f.lit(run)).collect()
    if rows:
        noted = kept.sparkSession.createDataFrame(rows, REFUSED).drop("run").coalesce(1)
        noted.write.mode("overwrite").parquet(f"{path}/{REFUSED_FOLDER}/run={run}")
    return {row.reason: row["count"] for row in rows}
