"""What a machine says that was sent this library as an archive and lacks packages that it needs."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("pyspark")

import pyspark
from pyspark import cloudpickle
from pyspark.sql.types import LongType, StructType

from kafka_nextgen.requirements import PACKAGES
from kafka_nextgen.spark.source import batch_reader
from tests.support.environments import make_environment, zip_library

OPTIONS = {"kafka.bootstrap.servers": "localhost:9092", "subscribe": "orders"}


def what_a_task_says(home: Path, packages: list[str]) -> str:
    """The last line that a Python worker says which has these packages when it is sent a reader."""
    reader = batch_reader(OPTIONS, StructType().add("offset", LongType()))
    zip_library(home / "kafka_nextgen.zip")
    path = [home / "kafka_nextgen.zip", *(Path(pyspark.__file__).parent / "python/lib").glob("*.zip")]
    done = subprocess.run(
        [make_environment(home / "environment", packages), "-c", "import pickle, sys; pickle.load(sys.stdin.buffer)"],
        input=cloudpickle.dumps(reader.read),
        env={"PYTHONPATH": ":".join(map(str, path))},
        capture_output=True,
        check=False,
    )
    return (done.stderr.decode().splitlines() or ["nothing"])[-1]


def test_one_error_names_all_that_is_missing(tmp_path: Path) -> None:
    says = what_a_task_says(tmp_path, ["pyarrow"])
    assert says.startswith(
        "ImportError: kafka_nextgen can't import a package (No module named 'attrs'): install these for"
    )
    assert f"{tmp_path}/environment/bin/python" in says
    assert says.endswith("on every executor: attrs, cramjam, crc32c")


def test_a_task_needs_no_more_than_these(tmp_path: Path) -> None:
    assert what_a_task_says(tmp_path, [*PACKAGES.values(), "pyarrow"]) == "nothing"


def test_pip_installs_what_is_needed() -> None:
    required = [line for line in importlib.metadata.requires("kafka-nextgen") or () if "extra ==" not in line]
    assert set(PACKAGES.values()) <= {re.split("[^a-z0-9-]", line)[0] for line in required}
