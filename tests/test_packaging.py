"""What is shipped: a source distribution can be tested, and wheels are for platforms that the dependencies are for."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
from setuptools import find_packages

from tests.support.waiting import GUARD_S

if sys.version_info >= (3, 11):
    import tomllib
else:
    tomllib = pytest.importorskip("tomli")

ROOT = Path(__file__).parent.parent
FOLDERS = (
    ".ci",
    "accelerator",
    "benchmarks",
    "docs",
    "examples",
    "findings",
    "kafka_nextgen",
    "pyspark_kafka_nextgen",
    "pytest_kafka_nextgen",
    "scripts",
    "tests",
)
BUILT = (".pyc", ".so", ".pyd")
FILES = ("CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "README.md", "SECURITY.md", "pyproject.toml", "setup.py")


def settings() -> Any:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_the_source_distribution_has_all_sources(tmp_path: Path) -> None:
    command = [sys.executable, "setup.py", "-q", "egg_info", "--egg-base", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=GUARD_S)
    shipped = set((tmp_path / "kafka_nextgen.egg-info" / "SOURCES.txt").read_text().splitlines())
    sources = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file()]
    wanted = {path.relative_to(ROOT).as_posix() for path in sources if path.suffix not in BUILT}
    assert wanted | set(FILES) <= shipped, sorted(wanted - shipped)[:10]


def test_a_wheel_has_the_library_and_no_tests() -> None:
    chosen = settings()["tool"]["setuptools"]["packages"]["find"]["include"]
    packages = find_packages(ROOT, include=chosen)
    shipped = {"kafka_nextgen", "pyspark_kafka_nextgen", "pytest_kafka_nextgen"}
    assert {name.partition(".")[0] for name in packages} == shipped


def test_pytest_finds_the_plugin_by_itself() -> None:
    assert settings()["project"]["entry-points"]["pytest11"] == {"kafka_nextgen": "pytest_kafka_nextgen"}


def test_no_wheel_is_built_where_a_dependency_has_none() -> None:
    """google-re2 has no wheels for musl; there it would be compiled, with a C++ toolchain, Abseil and RE2."""
    declared = settings()
    assert any(name.startswith("google-re2") for name in declared["project"]["dependencies"])
    skipped = declared["tool"]["cibuildwheel"]["skip"].split()
    assert any(fnmatch("cp312-musllinux_x86_64", pattern) for pattern in skipped)


def test_the_spark_extra_has_the_pandas_that_spark_wants_for_functions_of_arrow() -> None:
    utils = pytest.importorskip("pyspark.sql.pandas.utils")
    source = inspect.getsource(utils.require_minimum_pandas_version)
    oldest = re.search(r'minimum_pandas_version = "(\d+\.\d+)\.0"', source)
    assert oldest is not None, source
    assert f"pandas>={oldest[1]},<3" in settings()["project"]["optional-dependencies"]["spark"]
