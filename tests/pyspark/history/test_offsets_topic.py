"""The offsets topic as a stream: micro-batches come to the same events as all records at once."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import datetime, timezone
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyspark")

import pyarrow as pa
import pyarrow.parquet as pq

from kafka_nextgen.groups import records as r
from kafka_nextgen.history.events import Event
from kafka_nextgen.offsets_topic.events import RecordStory, Row
from kafka_nextgen.offsets_topic.extensions import Skipped, decode
from kafka_nextgen.spark.history.offsets_topic import KNOWN, ingest_offsets_topic, stream_offsets_topic
from kafka_nextgen.types import OffsetAndMetadata, TopicId, TopicPartition
from tests.offsets_topic.group_records import NAMES, ORDERS, current, epoch, metadata, removal
from tests.pyspark.checkpoints import forget_last_commit
from tests.pyspark.history.datasets import rows_in, rows_of
from tests.spark.history.records import batch_of, row
from tests.support.waiting import TEST_S

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def commit(offset: int, topic_id: TopicId | None = None) -> r.OffsetCommitted:
    return r.OffsetCommitted("billing", TopicPartition("orders", 0), OffsetAndMetadata(offset), 0, topic_id)


SCHEMA = "partition INT, offset BIGINT, timestamp TIMESTAMP, key BINARY, value BINARY"


def write(folder: Path, number: int, rows: list[dict[str, Any]]) -> None:
    """Write a file that Spark takes after those with lower numbers: it goes by the time of their last change."""
    folder.mkdir(exist_ok=True)
    table = pa.Table.from_pylist(
        [
            {
                "partition": each["partition"],
                "offset": each["offset"],
                "timestamp": datetime.fromtimestamp(each["at"] / 1000, timezone.utc),
                "key": each["key"],
                "value": each["value"],
            }
            for each in rows
        ],
        schema=pa.schema(
            {
                "partition": pa.int32(),
                "offset": pa.int64(),
                "timestamp": pa.timestamp("us", "UTC"),
                "key": pa.binary(),
                "value": pa.binary(),
            }
        ),
    )
    path = folder / f"{number}.parquet"
    pq.write_table(table, path)
    changed_at = path.stat().st_mtime + number  # or two files have the same
    os.utime(path, (changed_at, changed_at))


def run(spark: SparkSession, home: Path, names: Mapping[TopicId, str]) -> None:
    """Take in what is new in the topic, a file at a time."""
    records = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).parquet(str(home / "topic"))
    query = stream_offsets_topic(
        records, str(home / "dataset"), str(home / "checkpoint"), cluster="c", topics=names, available_now=True
    )
    assert query.awaitTermination(int(TEST_S))
    assert query.exception() is None


def test_micro_batches_come_to_what_all_records_come_to(spark: SparkSession, tmp_path: Path) -> None:
    topic, dataset, checkpoint = tmp_path / "topic", tmp_path / "dataset", tmp_path / "checkpoint"
    parts = [
        [
            *batch_of(1, metadata("A", "orders"), epoch(1)),
            row(3, r.GroupMetadata("h", 4), 3),
            row(4, b"\x00\x03\x00"),
        ],
        [row(5, current("A", 1, 0, 1)), row(6, commit(5)), row(7, r.GroupMetadata("x", 1))],
        [*batch_of(8, metadata("B", "orders"), epoch(2)), row(10, r.GroupMetadataRemoved("x"))],
        [row(11, current("A", 2, 0)), row(12, current("B", 2, 1)), row(13, r.GroupMetadata("h", 5), 3)],
        [*batch_of(14, *removal("A"), epoch(3)), row(18, r.GroupMetadata("x", 1))],
    ]
    for number, part in enumerate(parts):
        write(topic, number, part)
        if number % 2 == 0:
            run(spark, tmp_path, NAMES)
    forget_last_commit(checkpoint)
    run(spark, tmp_path, NAMES)
    told = rows_in(spark, dataset)
    assert told == rows_of(in_memory(parts))
    assert {("A", "revoked", (1,)), ("B", "assigned", (1,)), ("A", "left", None)} <= {
        (each[7], each[5], each[13]) for each in told
    }
    records = spark.read.schema(SCHEMA).parquet(str(topic))
    done = ingest_offsets_topic(records, str(tmp_path / "at once"), cluster="c", topics=NAMES)
    assert rows_in(spark, tmp_path / "at once") == told
    assert (done.events, done.refused) == (len(told), {"bad record": 1})
    known = pq.read_table(checkpoint / KNOWN / "0").to_pylist()
    # the last record of each key that is there
    assert sorted(each["offset"] for each in known) == [4, 6, 8, 12, 13, 17, 18]


def test_a_topic_that_a_commit_named_keeps_its_name(spark: SparkSession, tmp_path: Path) -> None:
    """A topic's name is learned of a commit (Kafka 4.3), and is known in later micro-batches."""
    parts = [
        [row(1, commit(5, ORDERS)), row(2, commit(6, ORDERS)), *batch_of(3, metadata("A", "orders"), epoch(1))],
        [row(5, r.OffsetRemoved("billing", TopicPartition("orders", 0)))],
        [row(6, current("A", 1, 0, 1))],
    ]
    for number, part in enumerate(parts):
        write(tmp_path / "topic", number, part)
    run(spark, tmp_path, {})
    told = rows_in(spark, tmp_path / "dataset")
    assert told == rows_of(in_memory(parts, {}))
    assert {each[12] for each in told if each[5] == "assigned"} == {"orders"}


def in_memory(parts: list[list[dict[str, Any]]], names: Mapping[TopicId, str] = NAMES) -> list[Event]:
    """The events of all records that can be read, batch by batch of the log."""
    stories: dict[int, RecordStory] = {}
    found: list[Event] = []
    rows = [each for part in parts for each in part if len(each["key"]) > 3]
    for (partition, _), batch in groupby(rows, key=lambda each: (each["partition"], each["at"])):
        story = stories.setdefault(partition, RecordStory(f"offsets:{partition}", "c", names))
        found += story.tell([_decoded(each) for each in batch])
    return found


def _decoded(each: dict[str, Any]) -> Row:
    record = decode(each["key"], each["value"])
    assert not isinstance(record, Skipped)
    return Row(each["offset"], each["at"], record)
