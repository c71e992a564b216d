"""Streaming queries plan the batches that the built-in source plans, and read the same rows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kafka_nextgen.spark import register
from tests.pyspark.checkpoints import ends_of_batches
from tests.pyspark.sources import FORMATS, OURS, Sources, assert_same_rows
from tests.pyspark.topics import Topic, write
from tests.support.clients import create_topic, grow_topic
from tests.support.kafka_server import KafkaServer

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: How many records a batch may have, by kind of topic, for three batches or more.
LIMITS = {"nulls and headers": 50, "transactions": 40, "compacted": 20}


@pytest.mark.parametrize("kind", LIMITS)
def test_batches_and_rows_are_the_same(
    sources: Sources, topics: Mapping[str, Topic], tmp_path: Path, kind: str
) -> None:
    topic = topics[kind]
    for format in FORMATS:
        sources.run(
            format,
            tmp_path / f"{format}-checkpoint",
            tmp_path / format,
            subscribe=topic.name,
            startingOffsets="earliest",
            includeHeaders=True,
            maxOffsetsPerTrigger=LIMITS[kind],
            **{"kafka.isolation.level": "read_committed"},
        )
    built_in, ours = (ends_of_batches(tmp_path / f"{format}-checkpoint") for format in FORMATS)
    assert ours == built_in
    assert len(ours) >= 3
    assert_same_rows(*(sources.written(tmp_path / format) for format in FORMATS), topic.committed)


def test_new_partitions_are_read_from_their_first_record(
    sources: Sources, newest_kafka: KafkaServer, tmp_path: Path
) -> None:
    servers = newest_kafka.bootstrap_servers
    topic = create_topic(servers, "growing")
    write(servers, topic, [b"old"] * 5)

    def read() -> None:
        for format in FORMATS:
            options = {"subscribe": topic, "startingOffsets": "earliest"}
            sources.run(format, tmp_path / f"{format}-checkpoint", tmp_path / format, **options)

    read()
    grow_topic(servers, topic, 2)
    write(servers, topic, [b"new"] * 7, partition=1)
    read()
    assert_same_rows(*(sources.written(tmp_path / format) for format in FORMATS), 12)


def test_a_stream_that_starts_leaves_the_environment_that_others_share_as_large_as_it_was(
    spark: SparkSession, newest_kafka: KafkaServer, tmp_path: Path
) -> None:
    # Spark serializes it with the tasks of each query of this source. A map that grows meanwhile can't be read again.
    session = spark.newSession()
    register(session)
    known = session._jsparkSession.sessionState().dataSourceManager().lookupDataSource(OURS)
    names = set(known.dataSourceCls().envVars())
    topic = create_topic(newest_kafka.bootstrap_servers, "one")
    ours = Sources(session, newest_kafka.bootstrap_servers)
    ours.run(OURS, tmp_path / "checkpoint", tmp_path / "rows", subscribe=topic)
    assert set(known.dataSourceCls().envVars()) == names
    assert session.sparkContext.environment.keys() < names
