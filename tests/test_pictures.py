"""The pictures of the documents show what the code does."""

from __future__ import annotations

import re
import runpy
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from kafka_nextgen.cli.demo import _success_message
from kafka_nextgen.cli.demonstration.flights import count_by_partition, load_flights
from kafka_nextgen.cli.demonstration.ledger import Proof
from kafka_nextgen.cli.demonstration.progress import PARTITION_COUNT, TOPIC
from kafka_nextgen.cli.demonstration.scenario import FIRST, SECOND, THIRD

ROOT = Path(__file__).parent.parent
TOOLS = ROOT / "docs" / "tools"
DRAWN = ("classic_states", "layers", "member_states", "offsets", "reconciliation", "threads", "two_rebalances")


def script_of(name: str, patch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The script that draws the picture of this name; it imports others of its folder."""
    patch.syspath_prepend(str(TOOLS))
    return runpy.run_path(str(TOOLS / f"make_{name}.py"))


@pytest.mark.parametrize("name", DRAWN)
def test_a_picture_is_what_its_command_draws(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    script = script_of(name, monkeypatch)
    assert script["PICTURE"].read_text() == script[f"{name}_picture"](), f"run python docs/tools/make_{name}.py"


@pytest.mark.parametrize("name", [*DRAWN, "demo"])
def test_a_picture_has_a_text_alternative_and_two_themes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = script_of(name, monkeypatch)["PICTURE"]
    picture = ET.fromstring(path.read_text())
    title, told = (picture.findtext(f"{{http://www.w3.org/2000/svg}}{tag}") for tag in ("title", "desc"))
    assert title
    assert told
    assert "prefers-color-scheme: dark" in path.read_text()
    pages = [
        page
        for page in (ROOT / "docs").rglob("*.md")
        if re.search(rf"!\[[^]]{{20,}}\]\(\S*{path.name}\)", page.read_text())
    ]
    assert pages, f"no page shows {path.name}, with a text for those who do not see it"


def test_the_picture_of_the_demonstration_shows_what_the_command_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = lines_of(script_of("demo", monkeypatch)["PICTURE"])
    rows = [re.findall(r"[\w,-]+(?:\[\d+])?", line) for line in lines if "flights[" in line and "│" in line]
    totals = count_by_partition(load_flights(), PARTITION_COUNT)
    assert [row[0] for row in rows] == [f"{TOPIC}[{number}]" for number in range(PARTITION_COUNT)]
    assert {row[1].rstrip(",") for row in rows} <= {FIRST, SECOND, THIRD}
    for row, total in zip(rows, totals, strict=True):
        assert number_in(row[-2]) + number_in(row[-1]) <= total
    header = re.match(r"([\d,]+) of ([\d,]+) flights written, ([\d,]+) processed", lines[1])
    assert header
    written, whole, processed = map(number_in, header.groups())
    assert written == sum(number_in(row[-2]) + number_in(row[-1]) for row in rows)
    assert (whole, processed) == (sum(totals), sum(number_in(row[-2]) for row in rows))
    assert "┃partition┃owner┃processed┃┃behind┃" in [line.replace(" ", "") for line in lines]


def test_the_picture_of_the_demonstration_ends_with_its_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    said = " ".join(lines_of(script_of("demo", monkeypatch)["PICTURE"]))
    uncommitted = re.search(rf"{SECOND} was killed \(SIGKILL\) with (\d+) records processed and not committed", said)
    assert uncommitted
    assert said.endswith(_success_message(Proof(len(load_flights()), (), {SECOND: int(uncommitted[1])})))


def lines_of(picture: Path) -> list[str]:
    """The lines of a terminal in a picture, without blanks at their ends."""
    lines: dict[str, str] = {}
    for text in ET.fromstring(picture.read_text()).iter("{http://www.w3.org/2000/svg}text"):
        lines[text.attrib["y"]] = f"{lines.get(text.attrib['y'], '')}{text.text}"
    return [" ".join(line.split()) for line in lines.values()]


def number_in(text: str) -> int:
    return int(text.replace(",", ""))
