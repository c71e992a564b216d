"""Every scenario in ``tests/scenarios/coordinator`` has to come back as it is written.

``REWRITE_SCENARIOS=1`` writes what happened into the files. Then read the diff: it is the behaviour that changed.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.coordinator.transcript import run

SCENARIOS = sorted((Path(__file__).parents[1] / "scenarios" / "coordinator").glob("*.txt"))


def test_there_are_scenarios() -> None:
    assert len(SCENARIOS) >= 15


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_scenario(path: Path) -> None:
    written = path.read_text()
    happened = run(written)
    if os.environ.get("REWRITE_SCENARIOS") and not os.environ.get("CI"):
        path.write_text(happened)
    assert happened == written


def test_what_is_not_written_must_not_happen() -> None:
    silent = "topic foo 1\n\njoin A foo\n"
    told = "   group epoch 2\n   target epoch 2: A foo[0]\n-> A epoch=2 assignment=foo[0]\n"
    assert run(silent) == f"topic foo 1\n\njoin A foo\n----\n{told}"


def test_a_false_expectation_is_replaced_by_what_happened() -> None:
    false = "topic foo 1\n\n# A joins.\njoin A foo\n----\n-> A epoch=99 assignment=-\n"
    assert "epoch=99" not in run(false)
    assert "# A joins." in run(false)


def test_an_unknown_verb_is_named() -> None:
    with pytest.raises(ValueError, match="no verb 'joni'"):
        run("joni A foo\n")
