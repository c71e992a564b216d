"""Event logs into the dataset: each event once, whatever they are mixed with and however often they are read."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyspark")

from attrs import evolve

from kafka_nextgen.history.events import Event
from kafka_nextgen.spark.history import appending
from kafka_nextgen.spark.history.appending import append
from kafka_nextgen.spark.history.dataset import day_of, folder_of
from kafka_nextgen.spark.history.ingesting import ingest, ingest_stream
from tests.pyspark.checkpoints import forget_last_commit
from tests.pyspark.history.datasets import (
    frame_of,
    identities,
    identities_of,
    refused_in,
    rows_in,
    rows_of,
    text_of,
    write_logs,
)
from tests.spark.history.logs import stories
from tests.support.waiting import TEST_S

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DAY_MS = 86_400_000


@pytest.fixture
def events() -> list[Event]:
    return [
        event
        for day in range(2)
        for event in (evolve(each, at=each.at + day * DAY_MS, seq=each.seq + day * 100) for each in stories())
    ]


def test_files_of_any_kind_come_in_once_and_again_not_at_all(
    spark: SparkSession, tmp_path: Path, events: list[Event]
) -> None:
    logs, dataset = tmp_path / "logs", tmp_path / "dataset"
    write_logs(logs, events)
    done = ingest(spark, str(logs), str(dataset))
    assert (done.events, done.refused) == (len(events) + 4, {})
    assert identities(spark, dataset) == identities_of(events)
    assert rows_in(spark, dataset) == rows_of(events)
    ingest(spark, [str(logs / "a.jsonl"), str(logs / "deeper")], str(dataset))
    assert identities(spark, dataset) == identities_of(events)


def test_a_file_that_grew_or_was_zipped_and_what_comes_late_come_in_once(
    spark: SparkSession, tmp_path: Path, events: list[Event]
) -> None:
    logs, dataset, text = tmp_path / "logs", tmp_path / "dataset", text_of(events)
    logs.mkdir()
    second_day = [event for event in events if event.at >= DAY_MS]
    (logs / "a.jsonl").write_bytes(text_of(second_day)[:-20])
    assert ingest(spark, str(logs), str(dataset)).refused == {"torn": 1}
    assert identities(spark, dataset) == identities_of(second_day[:-1])
    (logs / "a.jsonl").write_bytes(text_of(second_day) + text)
    assert ingest(spark, str(logs), str(dataset)).refused == {}
    assert identities(spark, dataset) == identities_of(events)
    (logs / "a.jsonl").rename(logs / "a.jsonl.1")
    (logs / "a.jsonl.1.gz").write_bytes(gzip.compress(text))
    ingest(spark, [str(logs), str(logs / "a.jsonl.1")], str(dataset))
    assert identities(spark, dataset) == identities_of(events)


def test_what_is_no_event_is_counted_with_its_first_text(
    spark: SparkSession, tmp_path: Path, events: list[Event]
) -> None:
    logs, dataset = tmp_path / "logs", tmp_path / "dataset"
    write_logs(logs, events)
    good = text_of(events[:1])
    odd = good.replace(b'"v":1', b'"v":9').replace(b'"seq":', b'"seq":77')
    (logs / "b.jsonl").write_bytes(
        b"INFO hello\n" + b"\x89PNG\r\n" + good.replace(b'"at":', b'"at":-') + odd + good[:30]
    )
    (logs / "c.jsonl.gz").write_bytes(gzip.compress(good * 1000)[:-6])
    (logs / "d.log.gz").write_bytes(b"not gzip\n" + good)
    done = ingest(spark, str(logs), str(dataset), run="nightly")
    expected = {"foreign": 3, "bad field": 1, "later version": 1, "torn": 1, "torn gzip": 1}
    assert done.refused == expected
    assert len(identities(spark, dataset)) == len(identities_of(events)) + 1
    rows = refused_in(spark, str(dataset)).collect()
    assert {row.reason: row["count"] for row in rows} == expected
    assert {row.run for row in rows} == {"nightly"}
    torn = next(row for row in rows if row.reason == "torn")
    assert torn.file.endswith("b.jsonl")
    assert torn["first"].endswith(good[:30].decode())
    ingest(spark, str(logs), str(dataset), run="nightly")
    assert refused_in(spark, str(dataset)).count() == len(rows)


def test_groups_of_any_name_and_times_of_any_clock_come_back_as_they_are(spark: SparkSession, tmp_path: Path) -> None:
    names = [
        "007",
        "7",
        "a=b",
        "ä/ö",
        "x" * 249,
        "Billing",
        "billing",
        "__HIVE_DEFAULT_PARTITION__",
        "%2F",
        " ",
        "\t\n",
        "null",
        "..",
        "𝄞{[*]}?",
    ]
    times = [0, DAY_MS - 1, DAY_MS, 253_402_300_800_000, (1 << 63) - 1]
    event = stories()[0]
    odd = [evolve(event, group=name, at=at, seq=seq) for name in names for seq, at in enumerate(times)]
    append(frame_of(spark, odd), str(tmp_path))
    append(frame_of(spark, odd), str(tmp_path))
    assert identities(spark, tmp_path) == identities_of(odd)
    assert rows_in(spark, tmp_path) == rows_of(odd)
    places = {(each.parent.parent.name, each.parent.name) for each in tmp_path.rglob("*.parquet")}
    assert places == {(f"day={day_of(each.at)}", f"folder={folder_of(each.group)}") for each in odd}


def test_a_batch_that_failed_half_way_is_completed_when_it_runs_again(
    spark: SparkSession, tmp_path: Path, events: list[Event]
) -> None:
    """A crash while a committer renames files leaves some of them there, and some not."""
    batch = frame_of(spark, events)
    append(batch, str(tmp_path))
    files = sorted(tmp_path.rglob("*.parquet"))
    assert len(files) > 4
    for file in files[::2]:
        file.unlink()
    assert 0 < len(identities(spark, tmp_path)) < len(identities_of(events))
    append(batch, str(tmp_path))
    assert identities(spark, tmp_path) == identities_of(events)


def test_a_run_that_failed_between_its_writes_is_completed_when_it_runs_again(
    spark: SparkSession, tmp_path: Path, events: list[Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    log, dataset = tmp_path / "log.jsonl", tmp_path / "dataset"
    log.write_bytes(text_of(events) + b"INFO hello\n")

    def fail(*_: object) -> None:
        raise OSError("no space left")

    with monkeypatch.context() as patched:
        patched.setattr(appending, "_write_refused", fail)
        with pytest.raises(OSError, match="no space left"):
            ingest(spark, str(log), str(dataset))
    assert refused_in(spark, str(dataset)).count() == 0
    assert ingest(spark, str(log), str(dataset)).refused == {"foreign": 1}
    assert refused_in(spark, str(dataset)).count() == 1
    assert identities(spark, dataset) == identities_of(events)


def test_a_stream_does_what_a_batch_does(spark: SparkSession, tmp_path: Path, events: list[Event]) -> None:
    logs, dataset, checkpoint = tmp_path / "logs", tmp_path / "dataset", tmp_path / "checkpoint"
    logs.mkdir()
    half = len(events) // 2

    def run() -> None:
        lines = spark.readStream.option("maxFilesPerTrigger", 1).text(str(logs))
        query = ingest_stream(lines, str(dataset), str(checkpoint), available_now=True)
        assert query.awaitTermination(int(TEST_S))
        assert query.exception() is None

    (logs / "a.jsonl").write_bytes(text_of(events[: half + 5]) + b"INFO\n")
    run()
    assert identities(spark, dataset) == identities_of(events[: half + 5])
    (logs / "b.jsonl").write_bytes(text_of(events[half:]))
    run()
    assert identities(spark, dataset) == identities_of(events)
    forget_last_commit(checkpoint)
    run()
    assert identities(spark, dataset) == identities_of(events)
    (refused,) = refused_in(spark, str(dataset)).collect()
    assert (refused.run, refused.reason, refused["count"], refused["first"]) == (
        "stream-0",
        "foreign",
        1,
        "not JSON: INFO",
    )


def test_an_empty_log_makes_no_dataset(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_bytes(b"\n")
    done = ingest(spark, str(tmp_path / "empty.jsonl"), str(tmp_path / "dataset"))
    assert (done.events, done.refused) == (0, {})
