"""A Spark of this machine, with its built-in Kafka source beside ours.

The first session of a process starts a Java process, which stays; what is said about memory and classes holds from then
on. A session is small, quiet, and knows no time zone but UTC.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest

from kafka_nextgen.testing.real_kafka.maven import find_java
from kafka_nextgen.testing.real_kafka.single_node import NoKafkaError
from tests.support.class_archives import archive_options
from tests.support.guardian import run_folder
from tests.support.kafka_from_maven import QUICK_START
from tests.support.spark_connector import spark_connector_jars

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

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
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "1g",
}

#: Spark interprets plans. For tables of a few rows, compiling their queries is a quarter of the work.
INTERPRETED = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}

TRAINING_ENDS_S = 240


def require_spark() -> None:
    """Raise ``NoKafkaError`` without pyspark or Java."""
    try:
        import pyspark  # noqa: F401
    except ImportError as error:
        raise NoKafkaError(f"pyspark is not installed: {error}") from error
    find_java()


def java_options() -> str:
    """Return options of Java for a Spark that runs for seconds or minutes."""
    import pyspark

    jars = Path(pyspark.__file__).parent / "jars"
    name = f"spark-{pyspark.__version__}"
    files = f"-Djava.io.tmpdir={run_folder()}"
    return " ".join([QUICK_START, files, *archive_options(name, find_java(), jars, _train)])


def _train(option: str) -> None:
    """Run this module with the option, and wait for its Java process, which has the other end of the pipe."""
    command = [sys.executable, "-m", "tests.support.spark", option]
    subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, timeout=TRAINING_ENDS_S, check=True)


def start_spark(home: Path, master: str = "local[2]") -> SparkSession:
    """Start a session that keeps its files in ``home``; ``NoKafkaError`` without pyspark, Java or the connector."""
    require_spark()
    with pytest.MonkeyPatch.context() as patch:
        # Behind Spark's own jars, which an archive of classes begins with.
        patch.setenv("SPARK_DIST_CLASSPATH", os.pathsep.join(spark_connector_jars()))
        return _session(home, master, java_options())


def _session(home: Path, master: str, options: str) -> SparkSession:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(master).appName("tests")
    for name, value in {**SETTINGS, "spark.driver.extraJavaOptions": options}.items():
        builder = builder.config(name, value)
    return builder.config("spark.sql.warehouse.dir", (home / "warehouse").as_uri()).getOrCreate()


def _train_here(option: str) -> None:
    with TemporaryDirectory() as folder:
        home = Path(folder)
        spark = _session(home, "local[2]", f"{QUICK_START} {option}")
        rows = spark.range(100).selectExpr("id", "id % 7 AS key")
        rows.write.partitionBy("key").parquet(str(home / "rows"))
        read = spark.read.schema(rows.schema).parquet(str(home / "rows"))
        read.join(rows.groupBy("key").count(), "key").select("id").mapInPandas(
            lambda frames: frames, "id LONG"
        ).collect()
        stream = spark.readStream.schema(rows.schema).parquet(str(home / "rows")).groupBy("key").count()
        writer = stream.writeStream.format("memory").queryName("counts").outputMode("complete")
        writer.trigger(availableNow=True).start().awaitTermination()
        spark.stop()


if __name__ == "__main__":
    _train_here(sys.argv[1])
