"""Logs of any state through files, dataset and folds: refusals, facts and marks are those of the way without Spark."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyspark")

from attrs import asdict, evolve

from kafka_nextgen.history.analysis import analyze
from kafka_nextgen.history.events import CONTRADICTION, EVENTS_DROPPED, Event, EventKind
from kafka_nextgen.history.facts import FACTS
from kafka_nextgen.history.json_lines import encode_event
from kafka_nextgen.history.log_reader import Problems, read_log
from kafka_nextgen.spark.history import History, ingest
from tests.pyspark.history.datasets import text_of
from tests.spark.history.logs import random_events, stories

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def write_bad_logs(folder: Path) -> None:
    """Logs of all that may go wrong, and of what went well."""
    dropped = Event(
        2_000, 1_000, "consumer:a", "c1", "billing", EventKind.ERROR, cause=EVENTS_DROPPED, reason="5 events"
    )
    later = encode_event(evolve(dropped, seq=1_001, v=7)).encode()
    good = text_of([*stories(), dropped])
    folder.mkdir()
    (folder / "all.jsonl").write_bytes(good + b"INFO started\n\n" + later + b"\n" + good[:50])
    (folder / "again.jsonl.1").write_bytes(good[len(good) // 2 :])  # from the middle of a line on
    (folder / "random.log").write_bytes(text_of(random_events(4, 1_500)))
    (folder / "zipped.jsonl.gz").write_bytes(gzip.compress(good))
    (folder / "torn.jsonl.gz").write_bytes(gzip.compress(text_of(random_events(5, 500)))[:-9])
    (folder / "odd.json").write_bytes(later.replace(b"error", b"elected") + b"\n" + later.replace(b"2000", b"-1"))
    (folder / "forged.json").write_bytes(text_of(_forged(stories())))
    (folder / "empty.json").touch()


def _forged(events: list[Event]) -> list[Event]:
    """What its sources did not tell: other contents of some numbers."""
    changes: list[dict[str, Any]] = [
        {"member": "Z"},
        {"cause": ""},
        {"epoch": 1},
        {"partitions": (7,)},
        {"topic": None},
    ]
    return [
        evolve(event, at=event.at + number % 3, **changes[number % len(changes)])
        for number, event in enumerate(events[::4])
    ]


def rows(frame: DataFrame) -> list[dict[str, Any]]:
    return sorted((row.asDict() for row in frame.collect()), key=repr)


def test_all_is_told_as_without_spark(spark: SparkSession, tmp_path: Path) -> None:
    logs, dataset, problems = tmp_path / "logs", tmp_path / "dataset", Problems()
    write_bad_logs(logs)
    facts = analyze(read_log([logs], problems)).facts
    done = ingest(spark, str(logs), str(dataset))
    assert done.refused == problems.counts
    assert set(problems.counts) == {"torn", "foreign", "later version", "torn gzip", "unknown kind", "bad field"}
    history = History(spark, str(dataset)).persist()
    marks = set[str]()
    for name in FACTS:
        found = rows(getattr(history, name)())
        assert found == sorted(map(asdict, facts[name]), key=repr), name
        assert found, name
        marks |= {mark for row in found for mark in row.get("marks", "").split(", ") if mark}
    history.unpersist()
    assert marks >= {
        CONTRADICTION,
        "begins in the middle",
        "clocks disagree",
        "cluster unknown",
        "events dropped",
        "reported by members only",
    }
