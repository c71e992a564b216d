"""The types that checkers see, by mypy and by pyright."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from kafka_nextgen.compiled.generic_tuple import NamedTuple
from kafka_nextgen.types import Record, TimestampType

HERE = Path(__file__).parent
ROOT = HERE.parent.parent


def by_mypy(path: Path) -> list[tuple[int, str]]:
    """The lines with errors, and what they are."""
    command = [sys.executable, "-m", "mypy", "--output", "json", str(path)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode in (0, 1), run.stderr
    found = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]
    return [(each["line"], each["message"]) for each in found if each["severity"] == "error"]


def by_pyright(path: Path) -> list[tuple[int, str]]:
    if find_spec("pyright") is None:
        pytest.skip("pyright is not installed")
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, str(path)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1) or not run.stdout.startswith("{"):
        pytest.skip(f"pyright does not run: {run.stderr[-500:]}")  # it fetches itself when it first runs
    found = json.loads(run.stdout)["generalDiagnostics"]
    return [(each["range"]["start"]["line"] + 1, each["message"]) for each in found if each["severity"] == "error"]


CHECKERS = pytest.mark.parametrize("check", [by_mypy, by_pyright], ids=["mypy", "pyright"])


@pytest.mark.whole
@CHECKERS
def test_types_of_keys_and_values_follow_from_the_deserializers(check: object) -> None:
    assert callable(check)
    assert check(HERE / "consumers.py") == []


@pytest.mark.whole
@CHECKERS
def test_mistakes_are_refused(check: object) -> None:
    assert callable(check)
    path = HERE / "mistakes.py"
    marked = [number for number, line in enumerate(path.read_text().splitlines(), 1) if re.search("# REFUSED", line)]
    assert sorted({line for line, _ in check(path)}) == marked


def test_a_record_can_be_subscribed_and_is_the_same_class() -> None:
    alias = Record[str, int]
    record = alias("orders", 0, 7, 0, TimestampType.CREATE_TIME, "k", 3)
    assert type(record) is Record
    assert (record.key, record.value, record.headers) == ("k", 3, ())


def test_named_tuples_of_python_3_10_can_be_subscribed_too() -> None:
    class Pair(NamedTuple):  # type: ignore[misc]
        """Two."""

        first: int
        second: int = 2

        def total(self) -> int:
            return self.first + self.second

    assert Pair[int](1) == (1, 2)
    assert (Pair(1).total(), Pair.__doc__, Pair.__module__) == (3, "Two.", __name__)
    assert Pair._fields == ("first", "second")
