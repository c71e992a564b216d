"""SQL: tables of Spark's catalog and temporary views read what those of the built-in source read; none is written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pyspark.failures import failure_of
from tests.pyspark.sources import FORMATS, OURS, Format, Sources, run_to_the_end
from tests.pyspark.topics import write
from tests.support.clients import create_topic


@pytest.fixture
def topic(sources: Sources) -> str:
    """A topic of ten records."""
    topic = create_topic(sources.bootstrap_servers, "table")
    write(sources.bootstrap_servers, topic, [b"%d" % number for number in range(10)])
    return topic


@pytest.fixture(autouse=True)
def dropped(sources: Sources) -> Iterator[None]:
    yield
    for format in FORMATS:
        sources.spark.sql(f"DROP TABLE IF EXISTS of_{format}")
        sources.spark.sql(f"DROP VIEW IF EXISTS view_{format}")


def create(sources: Sources, format: Format, topic: str, what: str = "TABLE of_", more: str = "") -> None:
    options = f"`kafka.bootstrap.servers` '{sources.bootstrap_servers}', subscribe '{topic}'{more}"
    sources.spark.sql(f"CREATE {what}{format} USING {format} OPTIONS ({options})")


def count(sources: Sources, query: str) -> int:
    (row,) = sources.spark.sql(f"SELECT count(*) FROM {query}").collect()
    return int(row[0])


@pytest.mark.oldest_spark
def test_a_table_is_read_and_each_query_reads_anew(sources: Sources, topic: str) -> None:
    for format in FORMATS:
        create(sources, format, topic)
        assert count(sources, f"of_{format}") == 10
    write(sources.bootstrap_servers, topic, [b"later"] * 5)
    for format in FORMATS:
        sources.spark.sql(f"ALTER TABLE of_{format} SET TBLPROPERTIES ('team' = 'payments')")
        assert count(sources, f"of_{format} AS a JOIN of_{format} AS b USING (partition, offset)") == 15
        assert sources.spark.table(f"of_{format}").where("offset > 11").count() == 3


def test_a_table_that_was_created_with_columns_says_why_it_cannot_be_read(sources: Sources, topic: str) -> None:
    options = f"OPTIONS (`kafka.bootstrap.servers` '{sources.bootstrap_servers}', subscribe '{topic}')"
    sources.spark.sql(f"CREATE TABLE of_{OURS} (value BINARY) USING {OURS} {options}")
    assert "leave the columns out of CREATE TABLE" in failure_of(lambda: count(sources, f"of_{OURS}"))


def test_a_temporary_view_is_read(sources: Sources, topic: str) -> None:
    for format in FORMATS:
        create(sources, format, topic, "TEMPORARY VIEW view_", ", startingOffsets '{\"" + topic + '":{"0":4}}\'')
        assert count(sources, f"view_{format}") == 6


def test_a_table_is_a_stream_too(sources: Sources, topic: str) -> None:
    create(sources, OURS, topic, more=", startingOffsets 'earliest'")
    writer = sources.spark.readStream.table(f"of_{OURS}").writeStream.format("memory").queryName("of_table")
    run_to_the_end(writer.trigger(availableNow=True).start)
    assert count(sources, "of_table") == 10


def test_nothing_is_written_and_the_error_names_the_source_that_writes(
    sources: Sources, topic: str, tmp_path: Path
) -> None:
    create(sources, OURS, topic)
    spark = sources.spark
    stream = spark.readStream.format("rate").load().writeStream.format(OURS)
    writes = [
        lambda: spark.range(1).write.format(OURS).mode("append").save(),
        lambda: spark.sql(f"INSERT INTO of_{OURS} SELECT * FROM of_{OURS}"),
        lambda: (
            stream.option("checkpointLocation", str(tmp_path)).trigger(availableNow=True).start().awaitTermination()
        ),
    ]
    for attempt in writes:
        assert 'write with format("kafka"), the built-in connector of Spark' in failure_of(attempt)
