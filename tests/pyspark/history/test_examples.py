"""The examples, run as a user runs them: a process of its own, by spark-submit and by Python."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.waiting import TEST_S

pytest.importorskip("pyspark")

from benchmarks.history_events import START_MS, write_events
from kafka_nextgen import Consumer
from kafka_nextgen.admin import GroupAdmin
from kafka_nextgen.spark.history import History
from kafka_nextgen.spark.history.dataset import day_of
from tests.conftest import or_skip
from tests.pyspark.example_programs import EXAMPLES, quick_java, run
from tests.support.clients import create_topic, unique
from tests.support.kafka_server import KafkaServer
from tests.support.spark import require_spark
from tests.support.waiting import eventually

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession


@pytest.fixture(scope="module", autouse=True)
def _spark() -> None:
    or_skip(require_spark)


def test_a_nightly_job_says_what_it_read_and_which_groups_had_a_bad_day(tmp_path: Path) -> None:
    told = write_events(tmp_path / "logs", 6_000, groups=2, processes=1)
    (tmp_path / "logs" / "other.log").write_text("INFO hello\n")
    options = ["--logs", "logs", "--dataset", "dataset", "--day", f"{day_of(START_MS)}", "--slow-ms", "600"]
    small = ["--conf", "spark.sql.shuffle.partitions=2", "--conf", "spark.ui.enabled=false"]
    submit = [str(Path(sys.executable).with_name("spark-submit")), "--master", "local[2]", *small]
    done = subprocess.run(
        [*submit, str(EXAMPLES / "history_nightly.py"), *options],
        cwd=tmp_path,
        env={**os.environ, **quick_java(), "PYSPARK_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        timeout=TEST_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "FileNotFoundException" not in done.stderr
    lines = done.stdout.splitlines()  # spark-submit puts warnings there, too
    assert f"{told.events:,} events read; refused: {{'foreign': 1}}" in lines
    (row, *_) = [line.split("|") for line in lines if "member joined" in line and "group-0" in line]
    assert row[6].strip() == "c", "members are called by their client ids"
    assert "Members that come and go:" in lines or "Members that come and go: none" in lines


def test_a_stream_keeps_the_history_of_a_real_cluster(
    spark: SparkSession, newest_kafka: KafkaServer, tmp_path: Path
) -> None:
    servers = newest_kafka.bootstrap_servers
    topic, group = create_topic(servers, unique("orders"), 2), unique("billing")
    owns_both(servers, group, topic)
    owns_both(servers, group, topic)
    options = ["--bootstrap-servers", servers, "--dataset", "dataset", "--checkpoint", "checkpoint", "--once"]
    done = run("history_stream", tmp_path, *options)
    assert done.returncode == 0, done.stderr
    history = History(spark, str(tmp_path / "dataset"), groups=[group]).persist()
    (summary,) = history.groups().collect()
    with GroupAdmin(bootstrap_servers=servers) as admin:
        assert summary.cluster == admin.cluster_id()
    assert (summary.protocol, summary.members) == ("consumer", 2)
    assert [(each.joined, each.left) for each in history.members().collect()] == [(1, 1)] * 2
    assert sorted(map(place, history.tenures().collect())) == [(topic, 0), (topic, 0), (topic, 1), (topic, 1)]
    assert {each.ended is None for each in history.tenures().collect()} == {False}
    history.unpersist()


def place(row: Row) -> tuple[str, int]:
    return row.topic, row.partition


def owns_both(servers: str, group: str, topic: str) -> None:
    """A member comes, gets both partitions, and leaves."""
    with Consumer(bootstrap_servers=servers, group_id=group) as consumer:
        consumer.subscribe([topic])

        def has_both() -> bool:
            consumer.poll(0.1)
            return len(consumer.assignment()) == 2

        eventually("the member owns both partitions", has_both)
