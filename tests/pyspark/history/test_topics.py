"""A topic of events, by our source, into the dataset: as a stream and as a batch."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyspark")

from kafka_nextgen.history.json_lines import encode_event
from kafka_nextgen.spark import register
from kafka_nextgen.spark.history.ingesting import ingest, ingest_stream
from kafka_nextgen.testing import Cluster
from tests.pyspark.history.datasets import identities, identities_of, refused_in, rows_in, rows_of
from tests.pyspark.sources import run_to_the_end
from tests.pyspark.topics import write
from tests.spark.history.logs import stories

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_a_topic_comes_in_as_a_stream_and_again_as_a_batch_not_at_all(spark: SparkSession, tmp_path: Path) -> None:
    register(spark)
    events = stories()
    dataset, checkpoint = str(tmp_path / "dataset"), str(tmp_path / "checkpoint")
    with Cluster() as cluster:
        servers = cluster.bootstrap_servers
        cluster.create_topic("events", partitions=2)
        options = {"kafka.bootstrap.servers": servers, "subscribe": "events", "startingOffsets": "earliest"}
        for part in range(2):
            lines = [encode_event(event).encode() for event in events[part::2]]
            write(servers, "events", [*lines, None, b"INFO hello"], part)
            stream = spark.readStream.format("kafka_nextgen").options(**options).load()
            run_to_the_end(partial(ingest_stream, stream, dataset, checkpoint, available_now=True))
        assert rows_in(spark, Path(dataset)) == rows_of(events)
        refused = refused_in(spark, dataset).collect()
        assert {(row.reason, row["count"], row.file) for row in refused} == {
            ("foreign", 1, f"events-{part}") for part in range(2)
        }
        done = ingest(spark, spark.read.format("kafka_nextgen").options(**options).load(), dataset)
    assert (done.events, done.refused) == (len(events), {"foreign": 2})
    assert identities(spark, Path(dataset)) == identities_of(events)
