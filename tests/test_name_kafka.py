"""The name ``kafka`` belongs to the application, whatever it calls so; we consume all the same.

Each case is a process of its own, in a folder with a module or package ``kafka``, against a broker.
"""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kafka_nextgen.testing import Cluster
from tests.support.clients import produce
from tests.support.waiting import GUARD_S

CONSUMES = """
import sys
import kafka_nextgen

with kafka_nextgen.Consumer(bootstrap_servers=sys.argv[1]) as consumer:
    partition = kafka_nextgen.TopicPartition("orders", 0)
    consumer.assign([partition])
    consumer.seek_to_beginning([partition])
    print("read", next(iter(consumer)).value)
"""
ITS_OWN = "import kafka; print('kafka is', kafka.OWNER)\n"


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    with Cluster() as cluster:
        cluster.create_topic("orders", partitions=1)
        produce(cluster.bootstrap_servers, "orders", 1)
        yield cluster.bootstrap_servers


def lay_out(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def run(folder: Path, *arguments: str) -> list[str]:
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=GUARD_S, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    ("name", "app"),
    [("kafka.py", ITS_OWN + CONSUMES), ("kafka/__init__.py", CONSUMES + ITS_OWN)],
    ids=["first", "last"],
)
def test_the_application_has_its_own_kafka(servers: str, tmp_path: Path, name: str, app: str) -> None:
    lay_out(tmp_path, {name: "OWNER = 'application'", "app.py": app})
    assert set(run(tmp_path, "app.py", servers)) == {"read b'0'", "kafka is application"}


def test_a_program_may_be_called_kafka(servers: str, tmp_path: Path) -> None:
    lay_out(tmp_path, {"kafka.py": CONSUMES})
    assert run(tmp_path, "kafka.py", servers) == ["read b'0'"]


BOTH = """
import kafka
there = kafka.KafkaConsumer(bootstrap_servers=sys.argv[1], auto_offset_reset="earliest")
there.assign([kafka.TopicPartition("orders", 0)])  # one that subscribes at once may wait for its topics for 300 s
print("kafka-python read", next(there).value)
there.close()
"""


@pytest.mark.parametrize("first", ["import kafka", "import kafka_nextgen"])
def test_kafka_python_is_used_as_well(servers: str, tmp_path: Path, first: str) -> None:
    lay_out(tmp_path, {"app.py": f"{first}\n{CONSUMES}\n{BOTH}"})
    assert run(tmp_path, "app.py", servers) == ["read b'0'", "kafka-python read b'0'"]


@pytest.mark.whole
def test_an_older_kafka_python_is_used_as_well(servers: str, tmp_path: Path) -> None:
    """A release that this one's tests could not be run with: we need none of it."""
    pip = ["-m", "pip", "install", "-q", "--no-deps", "--target", str(tmp_path), "kafka-python<3"]
    subprocess.run([sys.executable, *pip], check=True, timeout=GUARD_S)
    which = "import kafka; print('kafka-python', kafka.__version__.split('.')[0])\n"
    lay_out(tmp_path, {"app.py": which + CONSUMES})
    assert run(tmp_path, "app.py", servers) == ["kafka-python 2", "read b'0'"]


def test_pip_installs_no_kafka_python() -> None:
    required = [line for line in importlib.metadata.requires("kafka-nextgen") or () if "extra ==" not in line]
    assert not [line for line in required if line.startswith("kafka")]
