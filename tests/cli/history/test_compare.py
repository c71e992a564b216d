"""The command on logs of several sources."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kafka_nextgen.cli.main import cli
from kafka_nextgen.history.json_lines import encode_event
from tests.history.example_stories import CONSUMERS, COORDINATOR
from tests.history.story import story

POLLER = """
    6.0 poller:p joined A @2 client=app
    6.0 poller:p assigned A @2 t[0]
    6.0 poller:p joined B @2
    6.0 poller:p assigned B @2 t[1]
    9.5 poller:p left A @2
"""


def _run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, ["history", "compare", *map(str, arguments)])


def _log(directory: Path, *told: str) -> Path:
    path = directory / "log.jsonl"
    path.write_text("".join(f"{encode_event(event)}\n" for each in told for event in story(each)))
    return path


def test_differences_are_listed(tmp_path: Path) -> None:
    done = _run(_log(tmp_path, CONSUMERS, COORDINATOR, POLLER))
    assert (done.exit_code, done.stderr) == (0, "")
    lines = [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in done.stdout.splitlines()]
    assert lines == [
        ["Group g, cluster c"],
        ["SOURCE", "ABOUT", "REPORTS", "CONSUMER REPORTS"],
        ["poller", "member app: epochs", "2", "1, 2"],
        ["poller", "t[1]: owners", "B", "app, B"],
    ]


def test_the_document_has_the_same(tmp_path: Path) -> None:
    done = _run(_log(tmp_path, CONSUMERS, POLLER), "--json")
    assert done.exit_code == 0
    document = json.loads(done.stdout)
    assert document["problems"] == {}
    (group,) = document["groups"]
    assert (group["cluster"], group["group"], group["sources"]) == ("c", "g", ["consumer", "poller"])
    assert group["differences"][0] == {"source": "poller", "about": "member A: epochs", "told": "2", "expected": "1, 2"}


@pytest.mark.parametrize(
    ("told", "line"),
    [
        ([CONSUMERS, COORDINATOR], "coordinator and consumer report the same"),
        ([COORDINATOR], "only coordinator reports this group: there is nothing to compare"),
    ],
)
def test_that_there_is_no_difference_is_said(tmp_path: Path, told: list[str], line: str) -> None:
    done = _run(_log(tmp_path, *told))
    assert (done.exit_code, done.stdout) == (0, f"Group g, cluster c\n  {line}\n")


def test_nothing_to_compare_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").touch()
    assert _run(tmp_path).exit_code == 1
    done = _run(_log(tmp_path, CONSUMERS), "--group", "another")
    assert done.exit_code == 1
    assert "it has events of g" in done.stderr


def test_what_can_t_be_read_is_told(tmp_path: Path) -> None:
    path = _log(tmp_path, CONSUMERS)
    path.write_text(path.read_text() + "nonsense\n")
    done = _run(path)
    assert done.exit_code == 0
    assert "Warning: 1 x " in done.stderr
