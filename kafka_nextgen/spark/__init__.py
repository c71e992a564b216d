"""Kafka for PySpark: ``format("kafka_nextgen")`` replaces Spark's built-in source, ``format("kafka")``.

Spark finds the data source automatically if this package is installed. ``register`` registers it elsewhere, and allows
several streaming queries of a session to start at the same time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["register"]

#: The variables that Spark adds to the environment of a data source's workers when a streaming query starts (4.2, 4.3:
#: PythonStreamingSourceRunner). All queries share this map. If it grows while Spark serializes the tasks of another
#: query, that query fails with an ``OptionalDataException``. The map therefore has these names from the beginning.
_ADDED_BY_SPARK = ("SPARK_AUTH_SOCKET_TIMEOUT", "SPARK_BUFFER_SIZE", "SPARK_LOCAL_DIRS", "SPARK_PYTHON_RUNTIME")


def register(spark: SparkSession) -> None:
    """Register ``format("kafka_nextgen")`` in a session. This is needed with ``--py-files`` and if a session has
    several streaming queries; it is harmless otherwise.
    """
    from pyspark_kafka_nextgen import DefaultSource

    with _complete_environment(spark):
        spark.dataSource.register(DefaultSource)


@contextmanager
def _complete_environment(spark: SparkSession) -> Iterator[None]:
    """While the block runs, functions sent to Spark have all names in their environment; Spark sets the values."""
    context = getattr(spark, "sparkContext", None)  # Spark Connect has no environment map
    if context is None:
        yield
        return
    before = context.environment
    context.environment = {**dict.fromkeys(_ADDED_BY_SPARK, ""), **before}
    try:
        yield
    finally:
        context.environment = before
