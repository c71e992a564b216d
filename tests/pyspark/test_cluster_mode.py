"""The source on a cluster: an executor of its own gets this library in the two ways that Spark has for Python.

The environments are bare: they lack this library if it is sent, and PySpark, which is part of the cluster.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen

from kafka_nextgen.testing.real_kafka.maven import find_java
from kafka_nextgen.testing.real_kafka.single_node import NoKafkaError
from tests.conftest import or_skip
from tests.support.clients import create_topic, produce
from tests.support.environments import PACKAGES, link_library, make_environment, pack_environment, zip_library
from tests.support.kafka_from_maven import QUICK_START
from tests.support.kafka_server import KafkaServer

JOB = Path(__file__).with_name("cluster_job.py")
RECORDS = 100
ALL = [RECORDS, sum(range(RECORDS))]
TIMEOUT_S = 240

SETTINGS = {
    "spark.driver.extraJavaOptions": QUICK_START,
    "spark.driver.memory": "512m",
    "spark.executor.extraJavaOptions": QUICK_START,
    "spark.executor.memory": "512m",
    "spark.log.level": "ERROR",
    "spark.sql.shuffle.partitions": "1",
    "spark.task.maxFailures": "1",
    "spark.ui.enabled": "false",
}


@frozen
class Cluster:
    """A Spark whose executors are processes of their own, and whose files are in ``home``."""

    home: Path

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Submit a job from ``home``: more options of spark-submit, the job, and its arguments."""
        settings = [word for name, value in SETTINGS.items() for word in ("--conf", f"{name}={value}")]
        command = [str(self.home / "spark/bin/spark-submit"), "--master", "local-cluster[1,1,1024]", *settings]
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        places = {"SPARK_HOME": str(self.home / "spark"), "SPARK_LOCAL_IP": "127.0.0.1"}
        return subprocess.run(
            [*command, *arguments],
            cwd=self.home,
            env={**inherited, **places, **environment},
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )


def find_spark(home: Path) -> Cluster:
    """Return PySpark's Spark under another path: it writes the files of executors to where it is."""
    try:
        import pyspark
    except ImportError as error:
        raise NoKafkaError(f"pyspark is not installed: {error}") from error
    find_java()
    (home / "spark").mkdir()
    for entry in Path(pyspark.__file__).parent.iterdir():
        (home / "spark" / entry.name).symlink_to(entry)
    return Cluster(home)


@pytest.fixture
def cluster(tmp_path: Path) -> Cluster:
    return or_skip(lambda: find_spark(tmp_path))


@pytest.fixture
def job(embedded_kafka: KafkaServer) -> list[str]:
    """The job and its arguments."""
    servers = embedded_kafka.bootstrap_servers
    topic = create_topic(servers, "cluster", 2)
    produce(servers, topic, RECORDS, partitions=2)
    return [str(JOB), servers, topic]


def report_of(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """What the job found out, whose queries have to have read all records."""
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert (report["batch"], report["stream"]) == (ALL, ALL)
    return report


def test_the_library_is_sent_to_executors_that_have_its_dependencies(
    cluster: Cluster, job: list[str], tmp_path: Path
) -> None:
    """The same path has other packages on the driver and on executors, which lack two in the job's last query."""
    library = tmp_path / "kafka_nextgen.zip"
    zip_library(library)
    python = str(make_environment(tmp_path / "environment", PACKAGES))
    make_environment(tmp_path / "lacking", PACKAGES)
    make_environment(tmp_path / "sent", ["attrs", "pyarrow"])
    pack_environment(tmp_path / "sent", tmp_path / "lacking.tar.gz", links=True)
    sent = ["--py-files", "kafka_nextgen.zip", "--archives", "lacking.tar.gz#lacking"]
    found_by = {"PYSPARK_PYTHON": python, "PYTHONPATH": str(library)}
    report = report_of(cluster.run(*sent, *job, "./lacking/bin/python", **found_by))
    interpreter, module = report["executors"]
    assert interpreter == python
    assert module.startswith(str(tmp_path / "spark/work"))
    assert module.endswith("kafka_nextgen.zip/kafka_nextgen/__init__.py")
    (failure,) = report["failures"]
    assert "ImportError: kafka_nextgen can't import a package (No module named 'cramjam')" in failure
    assert re.search("every executor: cramjam, crc32c(?!,)", failure)


def test_an_environment_is_sent(cluster: Cluster, job: list[str], tmp_path: Path) -> None:
    make_environment(tmp_path / "environment", PACKAGES)
    link_library(tmp_path / "environment")
    pack_environment(tmp_path / "environment", tmp_path / "environment.tar.gz")
    sent = ["--archives", "environment.tar.gz#environment"]
    report = report_of(cluster.run(*sent, *job, PYSPARK_PYTHON="./environment/bin/python"))
    assert [place.startswith(str(tmp_path / "spark/work")) for place in report["executors"]] == [True, True]
