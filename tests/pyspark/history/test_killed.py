"""A job that is killed while it writes, and then runs again, has each event once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyspark")

from attrs import evolve

from kafka_nextgen.history.events import Event
from kafka_nextgen.spark.history.ingesting import ingest
from tests.pyspark.history.datasets import identities, identities_of, text_of
from tests.spark.history.logs import stories

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).parents[3]
GROUPS = 150


def in_many_folders() -> list[Event]:
    """So many that the files of a job can't all be renamed at once."""
    story = [event for event in stories() if event.group == "007"]
    return [evolve(event, group=f"group-{number}") for number in range(GROUPS) for event in story]


def files_of(dataset: Path) -> int:
    return len(list(dataset.glob("day=*/folder=*/*.parquet")))


def test_a_job_that_was_killed_is_run_again(spark: SparkSession, tmp_path: Path) -> None:
    logs, dataset = tmp_path / "log.jsonl", tmp_path / "dataset"
    events = in_many_folders()
    logs.write_bytes(text_of(events))
    command = [sys.executable, "-m", "tests.pyspark.history.ingest_job", str(logs), str(dataset), str(tmp_path)]
    process = subprocess.Popen(command, cwd=ROOT, start_new_session=True, stderr=subprocess.DEVNULL)
    try:
        while files_of(dataset) == 0 and process.poll() is None:
            time.sleep(0.001)  # all files are there soon
    finally:
        os.killpg(process.pid, signal.SIGKILL)  # Java and the workers as well
        process.wait()
    written = files_of(dataset)
    assert 0 < written <= GROUPS
    print(f"{written} of {GROUPS} files were there")
    ingest(spark, str(logs), str(dataset))
    assert identities(spark, dataset) == identities_of(events)
