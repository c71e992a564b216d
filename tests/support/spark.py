"""A Spark of this machine, with its built-in Kafka source beside ours.

The first session of a process starts a Java process, which stays; what is said about memory and classes holds from then
on. A session is small, quiet, and knows no time zone but UTC.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tests.support.kafka_from_maven import find_java
from tests.support.kafka_server import NoKafkaError
from tests.support.spark_connector import spark_connector_jars

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["QUIET", "require_spark", "start_spark"]

#: Of every session, also one that is measured.
QUIET = {
    "spark.log.level": "ERROR",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}

SETTINGS = {
    **QUIET,
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:-UsePerfData",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "1g",
}


def require_spark() -> None:
    """Raise ``NoKafkaError`` without pyspark or Java."""
    try:
        import pyspark  # noqa: F401
    except ImportError as error:
        raise NoKafkaError(f"pyspark is not installed: {error}") from error
    find_java()


def start_spark(home: Path, master: str = "local[2]") -> SparkSession:
    """Start a session that keeps its files in ``home``; ``NoKafkaError`` without pyspark, Java or the connector."""
    require_spark()
    from pyspark.sql import SparkSession

    settings = {**SETTINGS, "spark.driver.extraClassPath": os.pathsep.join(spark_connector_jars())}
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(master).appName("tests")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.config("spark.sql.warehouse.dir", (home / "warehouse").as_uri()).getOrCreate()
