"""What is shipped: a source distribution can be tested, and wheels are for what the classifiers promise."""

from __future__ import annotations

import inspect
import platform
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from setuptools import find_packages

from kafka_nextgen.version import VERSION
from tests.support.toml_files import read_toml
from tests.support.waiting import GUARD_S

ROOT = Path(__file__).parent.parent
FOLDERS = (
    ".ci",
    ".github",
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
FILES = (
    *(".pre-commit-config.yaml", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "README.md", "SECURITY.md"),
    *("pyproject.toml", "setup.py"),
)


def settings() -> Any:
    return read_toml(ROOT / "pyproject.toml")


def test_the_source_distribution_has_all_sources(tmp_path: Path) -> None:
    command = [sys.executable, "setup.py", "-q", "egg_info", "--egg-base", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=GUARD_S)
    shipped = set((tmp_path / "kafka_nextgen.egg-info" / "SOURCES.txt").read_text().splitlines())
    sources = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file()]
    wanted = {path.relative_to(ROOT).as_posix() for path in sources if path.suffix not in BUILT}
    assert wanted | set(FILES) <= shipped, sorted(wanted - shipped)[:10]


def test_the_readme_on_pypi_has_absolute_links(tmp_path: Path) -> None:
    command = [sys.executable, "setup.py", "-q", "egg_info", "--egg-base", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=GUARD_S)
    shipped = (tmp_path / "kafka_nextgen.egg-info" / "PKG-INFO").read_text()
    links = re.findall(r"\]\(([^)\s]+)\)", shipped)
    assert [link for link in links if not link.startswith(("https://", "#"))] == []
    source = settings()["project"]["urls"]["Source"]
    files = [link.partition("/main/")[2].partition("#")[0] for link in links if link.startswith(f"{source}/")]
    assert "docs/benchmarks/plots/rebalance-gap.svg" in files
    assert [file for file in files if file and not (ROOT / file).exists()] == []


def test_a_wheel_has_the_library_and_no_tests() -> None:
    chosen = settings()["tool"]["setuptools"]["packages"]["find"]["include"]
    packages = find_packages(ROOT, include=chosen)
    shipped = {"kafka_nextgen", "pyspark_kafka_nextgen", "pytest_kafka_nextgen"}
    assert {name.partition(".")[0] for name in packages} == shipped


def test_pytest_finds_the_plugin_by_itself() -> None:
    assert settings()["project"]["entry-points"]["pytest11"] == {"kafka_nextgen": "pytest_kafka_nextgen"}


def dependencies(folder: Path, before: str = "pass") -> set[str]:
    """The names of the packages that a build asks for, without those of extras; ``before`` is run first."""
    setup = f"import sys; {before}; sys.argv = ['setup.py', '-q', 'egg_info', '--egg-base', sys.argv[1]]; "
    code = setup + "exec(compile(open('setup.py').read(), 'setup.py', 'exec'))"
    command = [sys.executable, "-c", code, str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=GUARD_S)
    required, _, _ = (folder / "kafka_nextgen.egg-info" / "requires.txt").read_text().partition("[")
    return {re.split(r"[^\w-]", line)[0] for line in required.split()}


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="compares musl with glibc")
def test_google_re2_is_a_dependency_but_on_musl_where_it_has_no_wheels(tmp_path: Path) -> None:
    musl = "import platform; platform.libc_ver = lambda *_: ('', '')"
    (tmp_path / "musl").mkdir()
    assert dependencies(tmp_path) - dependencies(tmp_path / "musl", musl) == {"google-re2"}


def test_wheels_are_built_for_all_that_is_said_to_be_supported() -> None:
    declared = settings()
    supported = re.findall(r"Python :: (3\.\d+)", " ".join(declared["project"]["classifiers"]))
    built = declared["tool"]["cibuildwheel"]["build"].split()
    assert built == [f"cp{version.replace('.', '')}-*" for version in supported]
    assert declared["project"]["requires-python"] == f">={supported[0]}"


def test_the_version_is_the_newest_of_the_changelog() -> None:
    newest = re.search(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest is not None
    assert newest[1] == VERSION


def test_the_spark_extra_has_the_pandas_that_spark_wants_for_functions_of_arrow() -> None:
    utils = pytest.importorskip("pyspark.sql.pandas.utils")
    source = inspect.getsource(utils.require_minimum_pandas_version)
    oldest = re.search(r'minimum_pandas_version = "(\d+\.\d+)\.0"', source)
    assert oldest is not None, source
    assert f"pandas>={oldest[1]},<3" in settings()["project"]["optional-dependencies"]["spark"]
