"""Batch queries read what the built-in source reads: the same rows in all columns, whatever is in the log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pytest

from tests.pyspark.sources import BUILT_IN, OURS, Sources, assert_same_rows
from tests.pyspark.topics import PARTITIONS, Topic

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

KINDS = ("nulls and headers", "codecs", "log append time", "transactions", "compacted")


@pytest.mark.parametrize("kind", KINDS)
def test_every_record_comes_alike(sources: Sources, topics: Mapping[str, Topic], kind: str) -> None:
    topic = topics[kind]
    built_in, ours = sources.both(subscribe=topic.name, includeHeaders=True)
    assert_same_rows(built_in, ours, topic.records)


def test_odd_batches_come_alike_but_for_times_before_the_gregorian_calendar(
    sources: Sources, topics: Mapping[str, Topic]
) -> None:
    topic = topics["odd batches"]
    built_in, ours = sources.both(subscribe=topic.name, includeHeaders=True)
    assert_same_rows(built_in.drop("timestamp"), ours.drop("timestamp"), topic.records)
    later = "timestamp >= '1900-01-01'"
    assert_same_rows(built_in.where(later), ours.where(later), built_in.where(later).count())


@pytest.mark.oldest_spark
def test_of_transactions_only_what_was_committed_may_be_read(sources: Sources, topics: Mapping[str, Topic]) -> None:
    topic = topics["transactions"]
    assert topic.committed < topic.records
    built_in, ours = sources.both(subscribe=topic.name, **{"kafka.isolation.level": "read_committed"})
    assert_same_rows(built_in, ours, topic.committed)


def test_without_headers_there_is_no_column_of_them(sources: Sources, topics: Mapping[str, Topic]) -> None:
    topic = topics["nulls and headers"]
    built_in, ours = sources.both(subscribe=topic.name)
    assert "headers" not in ours.columns
    assert_same_rows(built_in, ours, topic.records)


def test_several_topics_are_read_at_once(sources: Sources, topics: Mapping[str, Topic]) -> None:
    read = [topics[kind] for kind in KINDS]
    built_in, ours = sources.both(subscribe=",".join(topic.name for topic in read))
    assert_same_rows(built_in, ours, sum(topic.records for topic in read))


@pytest.mark.parametrize(
    ("kind", "split"),
    [
        ("codecs", {"minPartitions": 7}),
        ("transactions", {"minPartitions": 5, "maxRecordsPerPartition": 13}),
        ("compacted", {"minPartitions": 9, "maxRecordsPerPartition": 40}),
        ("compacted", {"minPartitions": 60}),
    ],
)
def test_ranges_are_split_into_as_many_tasks(
    sources: Sources, topics: Mapping[str, Topic], kind: str, split: Mapping[str, int]
) -> None:
    topic = topics[kind]
    built_in, ours = sources.both(subscribe=topic.name, **split)
    assert tasks_of(ours) == tasks_of(built_in)
    assert_same_rows(built_in, ours, topic.records)


def test_a_batch_is_split_by_size_also_without_a_number_of_tasks(sources: Sources, topics: Mapping[str, Topic]) -> None:
    """The built-in source looks at ``maxRecordsPerPartition`` in a batch query only if ``minPartitions`` is given."""
    topic = topics["transactions"]
    _, ours = sources.both(subscribe=topic.name, maxRecordsPerPartition=13)
    assert tasks_of(ours) > PARTITIONS


def test_small_ranges_share_a_task_unless_that_is_switched_off(sources: Sources, topics: Mapping[str, Topic]) -> None:
    topic = topics["nulls and headers"]
    built_in, ours = sources.both(subscribe=topic.name, includeHeaders=True)
    alone = sources.batch(OURS, subscribe=topic.name, minRecordsPerPartition=1)
    assert [tasks_of(each) for each in (built_in, ours, alone)] == [PARTITIONS, 1, PARTITIONS]
    assert_same_rows(built_in, ours, topic.records)


def tasks_of(frame: DataFrame) -> int:
    return frame.rdd.getNumPartitions()


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param("offset LONG, value BINARY, partition INT", marks=pytest.mark.oldest_spark),
        "TIMESTAMPTYPE INT, Offset LONG",
        "headers ARRAY<STRUCT<key: STRING, value: BINARY>>",
    ],
)
def test_a_users_schema_is_the_projection(sources: Sources, topics: Mapping[str, Topic], schema: str) -> None:
    options = {"subscribe": topics["log append time"].name, "includeHeaders": True}
    ours = sources.batch(OURS, schema, **options)
    built_in = sources.batch(BUILT_IN, **options).select(*ours.columns)
    assert [(field.name, field.dataType) for field in ours.schema] == [(f.name, f.dataType) for f in built_in.schema]
    assert ours.count() == topics["log append time"].records
    assert (built_in.exceptAll(ours).count(), ours.exceptAll(built_in).count()) == (0, 0)


def test_records_are_counted_without_columns(sources: Sources, topics: Mapping[str, Topic]) -> None:
    topic = topics["codecs"]
    assert sources.batch(OURS, subscribe=topic.name).count() == topic.records


def test_an_empty_topic_has_no_rows(sources: Sources, empty_topic: str) -> None:
    built_in, ours = sources.both(subscribe=empty_topic)
    assert_same_rows(built_in, ours, 0)
