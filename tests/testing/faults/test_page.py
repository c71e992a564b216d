"""The example of the page on faults runs as it is printed there, and its files of faults can be read."""

from __future__ import annotations

import re
from pathlib import Path

from kafka_nextgen.testing.faults.lines import parse_faults
from kafka_nextgen.testing.faults.making import KINDS

PAGE = (Path(__file__).parents[3] / "docs" / "guides" / "faults.md").read_text()


def test_the_example_runs() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(compile(example, "faults.md", "exec"), {})


def test_the_file_of_faults_can_be_read() -> None:
    file = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)[0]
    assert len(parse_faults(file.splitlines())) == 4


def test_every_kind_is_described() -> None:
    assert set(re.findall(r"^\| `(\w+)=", PAGE.split("## Which requests")[0], re.MULTILINE)) == set(KINDS)
