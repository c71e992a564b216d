"""Filters that are pushed down leave the same rows, of fewer records that are read.

Number n of the topic's 125 records is in partition n % 3 at offset n // 3, and was written n * 997 ms after the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta, timezone

import pytest

from tests.pyspark.failures import failure_of
from tests.pyspark.sources import BUILT_IN, OURS, Sources, assert_same_rows
from tests.pyspark.topics import STEP_MS, T0_MS, Topic

SETTING = "spark.sql.python.filterPushdown.enabled"
RECORDS = 125


@pytest.fixture
def topic(topics: Mapping[str, Topic]) -> str:
    return topics["nulls and headers"].name


@pytest.fixture
def pushing(sources: Sources) -> Iterator[Sources]:
    sources.spark.conf.set(SETTING, "true")
    yield sources
    sources.spark.conf.unset(SETTING)


def time_of(number: int, later_us: int = 0) -> str:
    time = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(
        milliseconds=T0_MS + number * STEP_MS, microseconds=later_us
    )
    return f"timestamp '{time.isoformat(' ')}'"


#: Filters, how many records pass, and how many are read; the topic is called {topic} in them.
FILTERS = [
    ("topic = '{topic}'", 125, 125),
    ("topic IN ('another', 'one')", 0, 0),
    ("topic LIKE '{topic}%'", 125, 125),
    ("partition = 1", 42, 42),
    ("partition IN (0, 2, 7)", 83, 83),
    ("partition > 0", 83, 125),
    ("NOT partition = 0", 83, 125),
    ("partition = 0 OR offset = 5", 44, 125),
    ("offset = 5", 3, 3),
    ("offset > 9 AND offset <= 11", 6, 6),
    ("offset >= 41 AND partition < 9", 2, 2),
    ("offset < 0", 0, 0),
    ("offset BETWEEN 50 AND 60", 0, 0),
    (f"timestamp >= {time_of(50)}", 75, 75),
    (f"timestamp > {time_of(50)}", 74, 75),
    (f"timestamp >= {time_of(50, 1)}", 74, 75),
    (f"timestamp = {time_of(50)}", 1, 75),
    (f"timestamp < {time_of(50)}", 50, 125),
    ("timestamp > '2500-01-01'", 0, 0),
    ("timestamp > '0001-01-01'", 125, 125),
    ("timestamp <= '9999-12-31'", 125, 125),
    ("value IS NULL", 25, 125),
]


@pytest.mark.parametrize(("condition", "passing", "read"), FILTERS)
def test_what_passes_is_the_same(pushing: Sources, topic: str, condition: str, passing: int, read: int) -> None:
    condition = condition.format(topic=topic)
    built_in, ours = (
        frame.where(condition).select("partition", "offset").sort("partition", "offset").collect()
        for frame in (pushing.batch(BUILT_IN, subscribe=topic), pushing.batch(OURS, subscribe=topic, pushdown=True))
    )
    assert ours == built_in
    assert len(ours) == passing
    one_task_each = pushing.batch(OURS, subscribe=topic, pushdown=True, maxRecordsPerPartition=1)
    assert one_task_each.where(condition).rdd.getNumPartitions() == max(read, 1)


@pytest.mark.oldest_spark
def test_all_columns_are_the_same(pushing: Sources, topic: str) -> None:
    condition = f"topic = '{topic}' AND partition > 0 AND offset >= 3 AND timestamp >= {time_of(50)}"
    options = {"subscribe": topic, "includeHeaders": True}
    built_in, ours = pushing.batch(BUILT_IN, **options), pushing.batch(OURS, pushdown=True, **options)
    assert_same_rows(built_in.where(condition), ours.where(condition), 50)


def test_without_the_setting_of_spark_a_query_fails(sources: Sources, topic: str) -> None:
    failure = failure_of(lambda: sources.batch(OURS, subscribe=topic, pushdown=True).count())
    assert "DATA_SOURCE_PUSHDOWN_DISABLED" in failure
    assert SETTING in failure


def test_without_the_option_all_is_read(pushing: Sources, topic: str) -> None:
    ours = pushing.batch(OURS, subscribe=topic, maxRecordsPerPartition=1).where("partition = 1")
    assert ours.rdd.getNumPartitions() == RECORDS
