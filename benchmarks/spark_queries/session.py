"""The Spark session of a benchmark: two cores of this machine, the connector's jars, and the Python sources."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from pyspark.sql import SparkSession

from benchmarks.processes import ROOT

__all__ = ["open_session", "session"]


def open_session(jars: Sequence[str] = ()) -> SparkSession:
    """Start a session with ``local[2]``."""
    from tests.support.spark import QUIET

    os.environ["PYTHONPATH"] = f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"  # for the Python workers
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master("local[2]").appName("kafka_nextgen benchmark")
    for name, value in QUIET.items():
        builder = builder.config(name, value)
    if jars:
        builder = builder.config("spark.jars", ",".join(jars))
    return builder.getOrCreate()


@contextmanager
def session() -> Iterator[SparkSession]:
    """Yield a session that knows every source; it is stopped at the end of the context.

    Spark finds ours by itself.

    Raises ``NoKafkaError`` if the connector of the built-in source can't be fetched.
    """
    from benchmarks.spark_queries.ready_made import ReadyMade
    from tests.support.spark_connector import spark_connector_jars

    spark = open_session(spark_connector_jars())
    try:
        spark.dataSource.register(ReadyMade)
        yield spark
    finally:
        spark.stop()
