"""The tables of the founding documents name what is there, and are counted right."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from attrs import frozen

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "internals" / "founding-documents"
INDEX = FOLDER / "index.md"
PAGES = sorted(path for path in FOLDER.glob("*.md") if path != INDEX)

HEADER = ["#", "statement", "status", "here", "stock Kafka", "code", "test"]
STATUSES = ["holds", "Kafka changed it", "by choice", "missing", "not ours"]
NONE = "-"

#: Which of code and test a row may lack, by its status.
MAY_LACK = {"missing": {"code", "test"}, "not ours": {"code", "test"}}


@frozen
class Row:
    page: str
    number: str
    statement: str
    status: str
    here: str
    kafka: str
    code: str
    test: str

    def __str__(self) -> str:
        return f"{self.page}, row {self.number}"


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def rows_of(page: Path) -> list[Row]:
    """The rows of a page's tables, all of which have the same columns."""
    lines = [cells(line) for line in page.read_text().splitlines() if line.startswith("|")]
    assert {len(line) for line in lines} == {len(HEADER)}
    return [Row(page.stem, *line) for line in lines if line != HEADER and set(line) != {"---"}]


ROWS = [row for page in PAGES for row in rows_of(page)]


def in_code(cell: str) -> list[str]:
    """What a cell names; everything in it has to be a name, or it is only a dash."""
    assert cell == NONE or re.fullmatch(r"`[^`]+`(, `[^`]+`)*", cell), cell
    return re.findall(r"`([^`]+)`", cell)


def is_there(name: str) -> bool:
    """Whether a test function or a scenario exists."""
    file, _, function = name.partition("::")
    path = ROOT / file
    if not name.startswith("tests/") or not path.is_file():
        return False
    if not function:
        return path.is_relative_to(ROOT / "tests" / "scenarios") and path.suffix == ".txt"
    return re.search(rf"^\s*(async )?def {function}\(", path.read_text(), re.MULTILINE) is not None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_rows_are_numbered_and_say_everything(page: Path) -> None:
    rows = rows_of(page)
    assert [row.number for row in rows] == [str(number) for number in range(1, len(rows) + 1)]
    assert [str(row) for row in rows if not (row.statement and row.here and row.kafka)] == []


def test_each_status_is_one_of_those_explained() -> None:
    assert [str(row) for row in ROWS if row.status not in STATUSES] == []
    assert [line for line in map(cells, INDEX.read_text().splitlines()) if line[0] in STATUSES and len(line) != 2] == []
    assert all(f"| {status} | " in INDEX.read_text() for status in STATUSES)


def test_what_is_there_names_its_code_and_its_test() -> None:
    lacking = [(str(row), name) for row in ROWS for name in ("code", "test") if getattr(row, name) == NONE]
    allowed = {str(row): MAY_LACK.get(row.status, set()) for row in ROWS}
    assert [row for row, name in lacking if name not in allowed[row]] == []


def test_named_code_exists() -> None:
    named = [(str(row), name) for row in ROWS for name in in_code(row.code)]
    assert [each for each in named if not each[1].startswith("kafka_nextgen/") or not (ROOT / each[1]).exists()] == []


def test_named_tests_exist() -> None:
    assert [(str(row), name) for row in ROWS for name in in_code(row.test) if not is_there(name)] == []


def test_the_counts_are_those_of_the_rows() -> None:
    counted = {page.stem: Counter(row.status for row in rows_of(page)) for page in PAGES}
    counted["all"] = sum(counted.values(), Counter())
    expected = {
        name: [str(count[status]) for status in STATUSES] + [str(count.total())] for name, count in counted.items()
    }
    table = [cells(line) for line in INDEX.read_text().splitlines() if line.count("|") == len(STATUSES) + 3]
    told = {re.sub(r"\[(.+)\]\(\1\.md\)", r"\1", name): numbers for name, *numbers in table if numbers[0].isdigit()}
    assert told == expected


def test_the_index_leads_to_every_page() -> None:
    assert {page.name for page in PAGES} <= set(re.findall(r"\]\(([\w-]+\.md)\)", INDEX.read_text()))
