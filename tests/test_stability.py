"""What is said to be stable exists, and pages and examples use nothing else."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "start" / "stability.md").read_text()
PUBLIC = re.findall(r"`(kafka_nextgen[\w.]*)`", PAGE.partition("Public modules:")[2].partition("\n\n")[0])
SHOWN = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.py")]

#: An example that streams the flights of the demonstration, and programs that run the command line.
INTERNAL = {"kafka_nextgen.cli.demonstration.flights", "kafka_nextgen.cli.main"}


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_module_lists_its_names(name: str) -> None:
    pytest.importorskip({"kafka_nextgen.spark.history": "pyspark"}.get(name, "attrs"))
    module = import_module(name)
    assert module.__doc__
    assert all(hasattr(module, each) for each in module.__all__)


def test_pages_and_examples_import_public_modules_only() -> None:
    imported = {
        name
        for path in SHOWN
        for name in re.findall(r"^\s*from (kafka_nextgen[\w.]*) import", path.read_text(), re.MULTILINE)
    }
    assert imported - set(PUBLIC) - INTERNAL == set()


def test_the_supported_pythons_are_those_of_the_package() -> None:
    declared = re.findall(r"Python :: 3\.(\d+)", (ROOT / "pyproject.toml").read_text())
    assert f"CPython 3.{declared[0]} to 3.{declared[-1]}" in PAGE
