"""The examples of the page on testing applications run as they are printed there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[3] / "docs" / "guides" / "testing-your-application.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
PROGRAMS = [each for each in EXAMPLES if "localhost:9092" not in each and "\ndef " not in each]


@pytest.mark.parametrize("example", PROGRAMS, ids=range(len(PROGRAMS)))
def test_an_example_runs(example: str) -> None:
    exec(compile(example, PAGE.name, "exec"), {})


def test_there_are_examples() -> None:
    assert len(PROGRAMS) >= 6
