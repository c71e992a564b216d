"""Appending events to the dataset, each once.

The identity of an event is its cluster, group, source and ``seq``. What is appended is a batch without those that are
there. So the same batch can be appended again after a crash in the middle: what was written is found and left out,
what was not is written. Files appear whole, as Spark's committers rename them.

Where events of one identity and day differ within a batch, the least is kept, and an ``error`` event tells of it; of
those in different batches the first one is kept.

Of what is there, only the days and groups of the batch are read, of these only times within those of the batch, and of
these only the identity. One writer at a time: two that append the same events at once may both find nothing. Answers
come out right even then, because ``History`` leaves doubles out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attrs import frozen
from pyspark.sql import functions as f

from kafka_nextgen.history.events import Event, EventKind, contradiction
from kafka_nextgen.spark.history.dataset import day_column, folder_column, parquet_if_any
from kafka_nextgen.spark.history.schemas import DATASET, EVENT_NAMES, EVENTS, REFUSED

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

__all__ = ["REFUSED_FOLDER", "Appended", "append", "refused_of"]

#: The side dataset in the dataset's directory. Spark leaves out names that begin with ``_`` when it reads.
REFUSED_FOLDER = "_refused"

_FOLDER = ["day", "folder"]
_IDENTITY = ["cluster", "group", "source", "seq"]
_MOST_FOLDERS = 200


@frozen
class Appended:
    """What came of it.

    Args:
        events: How many events the batch had, doubles included.
        refused: How many lines had a problem, by its name; ``later version`` counts events that were kept.
    """

    events: int
    refused: Mapping[str, int]


def append(decoded: DataFrame, path: str, *, run: str = "batch") -> Appended:
    """Append the events of a batch that are not there yet, and note what was refused.

    Args:
        decoded: Rows of ``schemas.DECODED``, or of ``schemas.EVENTS`` alone. It is computed once, and kept until done.
        path: The directory of the dataset; made if it is missing.
        run: Names the batch among refusals. If a batch of that name has some, they replace those before.
    """
    kept = decoded.persist()
    try:
        events = kept.where(f.col("kind").isNotNull())
        events = events.select(*EVENT_NAMES, day_column().alias("day"), folder_column().alias("folder"))
        touched = _touched(events)
        if touched:
            _write(_new(events, path, touched), path)
        refused = _note_refused(kept, path, run) if "problem" in kept.columns else {}
        return Appended(sum(each.events for each in touched), refused)
    finally:
        kept.unpersist()


def refused_of(spark: SparkSession, path: str) -> DataFrame:
    """What was refused in each run: reason, count, the first text of it, and the file or partition it came from."""
    found = parquet_if_any(spark, f"{path}/{REFUSED_FOLDER}", REFUSED)
    return spark.createDataFrame([], REFUSED) if found is None else found


@frozen
class _Touched:
    """A folder of the dataset that the batch has events of: how many, and between which times (ms)."""

    day: Any
    folder: str
    events: int
    first: int
    last: int


def _touched(events: DataFrame) -> list[_Touched]:
    at = f.col("at")
    found = events.groupBy(*_FOLDER).agg(f.count("*"), f.min(at), f.max(at)).collect()
    return [_Touched(*row) for row in found]


def _new(events: DataFrame, path: str, touched: Sequence[_Touched]) -> DataFrame:
    """The events that are not there, each once, those of a folder in one task: one shuffle for this and for writing."""
    once = _once(events.repartition(*_FOLDER))
    there = _there(events.sparkSession, path, touched)
    return once if there is None else once.join(there, [*_FOLDER, *_IDENTITY], "left_anti")


def _once(events: DataFrame) -> DataFrame:
    """Each identity once; where its events differ, the lesser and an error event, as ``events_by_group`` does."""
    content = f.struct(*EVENT_NAMES)
    of_identity = events.groupBy(*_FOLDER, *_IDENTITY).agg(f.min(content).alias("least"), f.max(content).alias("most"))
    least = f.col("least")
    both = f.array(least, _contradiction(least))
    kept = f.when(least.eqNullSafe(f.col("most")), f.slice(both, 1, 1)).otherwise(both)
    return of_identity.select(*_FOLDER, f.explode(kept).alias("kept")).select(*_FOLDER, "kept.*")


def _contradiction(event: Column) -> Column:
    """``events.contradiction`` of this one."""
    told = contradiction(Event(0, 0, "", "", "", EventKind.ERROR))
    values = {name: event[name] for name in ("at", "seq", "source", "cluster", "group", "protocol")}
    values |= {"kind": f.lit(told.kind.value), "cause": f.lit(told.cause), "reason": f.lit(told.reason)}
    values["v"] = f.lit(told.v)
    return f.struct(*(values.get(of.name, f.lit(None)).cast(of.dataType).alias(of.name) for of in EVENTS))


def _there(spark: SparkSession, path: str, touched: Sequence[_Touched]) -> DataFrame | None:
    """The identities of events there, of the days, groups and times of the batch; None if it has no such folder."""
    days = sorted({str(each.day) for each in touched})
    folders = sorted({each.folder for each in touched})
    days_glob = f"{{{','.join(days)}}}" if len(days) <= _MOST_FOLDERS else "*"
    folders_glob = f"{{{','.join(folders)}}}" if len(folders) <= _MOST_FOLDERS else "*"
    there = parquet_if_any(spark, f"{path}/day={days_glob}/folder={folders_glob}", DATASET, base=path)
    if there is None:
        return None
    first, last = min(each.first for each in touched), max(each.last for each in touched)
    return there.where(f.col("at").between(first, last)).select(*_FOLDER, *_IDENTITY)


def _write(new: DataFrame, path: str) -> None:
    """Write each folder's events in order of time, so that files can be passed over by their times."""
    placed = new.sortWithinPartitions(*_FOLDER, "at").select(*DATASET.names)
    placed.write.mode("append").partitionBy(*_FOLDER).parquet(path)


def _note_refused(kept: DataFrame, path: str, run: str) -> dict[str, int]:
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
