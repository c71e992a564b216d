"""The command: its exit status says whether something was found."""

from __future__ import annotations

import pytest
from click.testing import CliRunner, Result

from tests.scenarios.files import FOLDER
from tests.simulation.__main__ import main
from tests.simulation.coverage import NAMES
from tests.simulation.dice import Fault
from tests.simulation.unmet import UNMET


def _run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def test_nothing_found() -> None:
    result = _run("--seeds", "1-2", "--events", "200", "--mode", "both", "--jobs", "2")
    assert result.exit_code == 0
    assert "4 seeds, " in result.stdout
    assert "; 0 seeds failed" in result.stdout
    assert all(fault.value in result.stdout for fault in Fault)
    assert all(name in result.stdout for name in NAMES)


def test_a_planted_bug_is_found_and_told() -> None:
    result = _run("--seeds", "1-5", "--events", "1000", "--plant", "acknowledges-at-once")
    assert result.exit_code == 1
    assert "(safety), event " in result.stdout


def test_what_never_came_is_a_finding_if_that_is_asked_for() -> None:
    result = _run("--seeds", "1", "--events", "100", "--all-met")
    assert result.exit_code == 1
    assert "never met: node crashes" in result.stdout
    assert "never met: node gone for good" not in result.stdout  # it never comes where everything heals
    assert not any(f"never met: {name}\n" in result.stdout for name in UNMET)


@pytest.mark.parametrize("seeds", ["one", "1-x", "9-1"])
def test_seeds_that_are_none(seeds: str) -> None:
    assert _run("--seeds", seeds).exit_code == 2


def test_every_exception_is_something_that_is_counted_and_has_its_scenario() -> None:
    assert not UNMET.keys() - set(NAMES)
    assert all((FOLDER / unmet.scenario).is_file() for unmet in UNMET.values())
