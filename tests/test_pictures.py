"""The pictures of the documents show what the code does."""

from __future__ import annotations

import re
import runpy
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
TOOLS = ROOT / "docs" / "tools"
DRAWN = ("layers", "member_states", "offsets", "reconciliation", "threads", "two_rebalances")


def script_of(name: str, patch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The script that draws the picture of this name; it imports others of its folder."""
    patch.syspath_prepend(str(TOOLS))
    return runpy.run_path(str(TOOLS / f"make_{name}.py"))


@pytest.mark.parametrize("name", DRAWN)
def test_a_picture_is_what_its_command_draws(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    script = script_of(name, monkeypatch)
    assert script["PICTURE"].read_text() == script[f"{name}_picture"](), f"run python docs/tools/make_{name}.py"


@pytest.mark.parametrize("name", DRAWN)
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
