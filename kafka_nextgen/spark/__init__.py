"""Kafka for PySpark: ``format("kafka_nextgen")`` takes the place of Spark's built-in source, ``format("kafka")``.

Spark finds the data source by itself where this package is installed. ``register`` makes it known elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["register"]


def register(spark: SparkSession) -> None:
    """Make ``format("kafka_nextgen")`` known to a session: needed with ``--py-files``, harmless elsewhere."""
    from pyspark_kafka_nextgen import DefaultSource

    spark.dataSource.register(DefaultSource)
