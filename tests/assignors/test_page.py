"""What docs/guides/assignors.md shows is what happens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from kafka_nextgen.cli.main import cli

PAGE = Path(__file__).parents[2] / "docs" / "guides" / "assignors.md"


def blocks(kind: str, of: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", of, re.DOTALL)


def test_the_worked_example_comes_to_what_is_printed_below_it(capsys: pytest.CaptureFixture[str]) -> None:
    _, _, example = PAGE.read_text().partition("### A worked example\n")
    exec(compile(blocks("python", example)[0], PAGE.name, "exec"), {})
    assert capsys.readouterr().out == blocks("text", example)[0]


def test_the_file_shown_can_be_explained() -> None:
    (document,) = blocks("json", PAGE.read_text())
    done = CliRunner().invoke(cli, ["assignors", "explain", "-f", "-", "-a", "weighted", "-a", "rack-aware"], document)
    assert done.exit_code == 0
    assert "loads of 1 to 1.25" in done.stdout
    assert "0 read from another rack" in done.stdout
