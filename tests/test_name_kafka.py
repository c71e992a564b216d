"""The name ``kafka`` belongs to the application, whatever it calls so; we consume all the same.

Each case is a process of its own, in a folder with a module or package ``kafka``, against a broker.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import SimpleNamespace

import pytest

from kafka_nextgen import kafka_python
from kafka_nextgen.testing import Cluster
from tests.support.clients import produce

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

LAYOUTS = {
    "module": {"kafka.py": "OWNER = 'application'"},
    "package": {"kafka/__init__.py": "OWNER = 'application'"},
    "package with like names": {
        "kafka/__init__.py": "from kafka.errors import OWNER",
        "kafka/errors.py": "OWNER = 'application'",
        "kafka/protocol/__init__.py": "raise AssertionError('not what was meant')",
    },
    "folder without modules": {"kafka/compose.yaml": "services: {}"},
}


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
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("how", [["app.py"], ["-m", "app"]], ids=["script", "module"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_consumes_beside_an_application_s_kafka(servers: str, tmp_path: Path, layout: str, how: list[str]) -> None:
    lay_out(tmp_path, LAYOUTS[layout] | {"app.py": CONSUMES})
    assert run(tmp_path, *how, servers) == ["read b'0'"]


@pytest.mark.parametrize("layout", ["module", "package", "package with like names"])
@pytest.mark.parametrize("first", ["theirs", "ours"])
def test_the_application_imports_its_own_kafka(servers: str, tmp_path: Path, layout: str, first: str) -> None:
    app = ITS_OWN + CONSUMES if first == "theirs" else CONSUMES + ITS_OWN
    lay_out(tmp_path, LAYOUTS[layout] | {"app.py": app})
    assert set(run(tmp_path, "app.py", servers)) == {"read b'0'", "kafka is application"}


def test_a_program_may_be_called_kafka(servers: str, tmp_path: Path) -> None:
    lay_out(tmp_path, {"kafka.py": CONSUMES})
    assert run(tmp_path, "kafka.py", servers) == ["read b'0'"]


BOTH = """
import kafka
assert "kafka_nextgen" in sys.modules
assert kafka.KafkaConsumer and kafka.errors.KafkaError and type(kafka).__name__ == "module"
there = kafka.KafkaConsumer("orders", bootstrap_servers=sys.argv[1], auto_offset_reset="earliest")
print("kafka-python read", next(there).value)
there.close()
"""


@pytest.mark.parametrize("first", ["import kafka", "import kafka_nextgen"])
def test_kafka_python_is_used_as_well(servers: str, tmp_path: Path, first: str) -> None:
    lay_out(tmp_path, {"app.py": f"{first}\n{CONSUMES}\n{BOTH}"})
    assert run(tmp_path, "app.py", servers) == ["read b'0'", "kafka-python read b'0'"]


def test_finds_kafka_python_also_where_only_a_finder_of_an_editable_install_knows_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spec = ModuleSpec("kafka", None, is_package=True)
    spec.submodule_search_locations = list(kafka_python.__path__)
    finder = SimpleNamespace(find_spec=lambda name, path, target=None: spec if name == "kafka" else None)
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, finder])
    assert [kafka_python._folder()] == kafka_python.__path__


def test_says_what_is_missing_where_kafka_python_is_not_installed(tmp_path: Path) -> None:
    lay_out(tmp_path, LAYOUTS["package"])
    find = "import sys, kafka_nextgen.kafka_python as k; sys.path[:] = [sys.path[0]]; k._folder()"
    done = subprocess.run([sys.executable, "-c", find], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "ImportError: kafka-nextgen needs kafka-python 3.0.12 or later" in done.stderr
