"""Event logs as files, and what a dataset has, for tests."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import astuple

from kafka_nextgen.history.events import Event, EventKind
from kafka_nextgen.history.json_lines import encode_event
from kafka_nextgen.spark.history.appending import REFUSED_FOLDER
from kafka_nextgen.spark.history.dataset import parquet_if_any
from kafka_nextgen.spark.history.schemas import DATASET, EVENT_NAMES, EVENTS, REFUSED

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def text_of(events: Iterable[Event]) -> bytes:
    """A log of these events."""
    return b"".join(encode_event(event).encode() + b"\n" for event in events)


def write_logs(folder: Path, events: list[Event]) -> None:
    """The events in a plain, a rotated and a gzip file, in a folder in the folder, with overlaps."""
    deeper = folder / "deeper"
    deeper.mkdir(parents=True)
    third = len(events) // 3
    (folder / "a.jsonl").write_bytes(text_of(events[: third + 2]))
    (folder / "a.jsonl.1").write_bytes(text_of(events[third : 2 * third]))
    (deeper / "a.jsonl.2.gz").write_bytes(gzip.compress(text_of(events[2 * third - 2 :])))


def frame_of(spark: SparkSession, events: Iterable[Event], partitions: int = 3) -> DataFrame:
    """Events as a frame."""
    rows = [[list(value) if isinstance(value, tuple) else value for value in _values(event)] for event in events]
    return spark.createDataFrame(rows, EVENTS).repartition(partitions)


def identities(spark: SparkSession, path: Path) -> list[tuple[str, str, str, int]]:
    """The identities of all events in a dataset, sorted."""
    rows = spark.read.schema(DATASET).parquet(str(path)).select("cluster", "group", "source", "seq").collect()
    return sorted(tuple(row) for row in rows)


def identities_of(events: Iterable[Event]) -> list[tuple[str, str, str, int]]:
    """The identities of these events, each once, sorted."""
    return sorted({(event.cluster, event.group, event.source, event.seq) for event in events})


def rows_in(spark: SparkSession, path: Path) -> set[tuple[object, ...]]:
    """All events in a dataset, by their fields."""
    rows = spark.read.schema(DATASET).parquet(str(path)).select(*EVENT_NAMES).collect()
    return {tuple(tuple(value) if isinstance(value, list) else value for value in row) for row in rows}


def refused_in(spark: SparkSession, path: str) -> DataFrame:
    """What was refused in each run."""
    found = parquet_if_any(spark, f"{path}/{REFUSED_FOLDER}", REFUSED)
    return spark.createDataFrame([], REFUSED) if found is None else found


def rows_of(events: Iterable[Event]) -> set[tuple[object, ...]]:
    """These events, by their fields."""
    return {_values(event) for event in events}


def _values(event: Event) -> tuple[object, ...]:
    return tuple(value.value if isinstance(value, EventKind) else value for value in astuple(event))
