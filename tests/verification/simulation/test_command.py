"""The command: its exit status says whether something was found."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.scenarios.files import FOLDER
from tests.verification.simulation import __main__ as command
from tests.verification.simulation.__main__ import main
from tests.verification.simulation.batches import Order, Outcome, run_all
from tests.verification.simulation.coverage import NAMES, UNMET
from tests.verification.simulation.dice import Fault


def _run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def test_nothing_found() -> None:
    result = _run("--seeds", "1-2", "--events", "200", "--mode", "both", "--jobs", "2")
    assert result.exit_code == 0
    assert "4 runs, " in result.stdout
    assert "; 0 runs failed" in result.stdout
    assert all(fault.value in result.stdout for fault in Fault)
    assert all(name in result.stdout for name in NAMES)


@pytest.mark.parametrize(("plant", "status"), [((), 130), (("--plant", "acknowledges-at-once"), 1)])
def test_who_interrupts_hears_what_was_found_so_far(
    monkeypatch: pytest.MonkeyPatch, plant: tuple[str, ...], status: int
) -> None:
    def interrupted(orders: Sequence[Order], jobs: int) -> Iterator[Outcome]:
        yield from run_all(orders[:2], jobs)
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "run_all", interrupted)
    monkeypatch.setattr(command, "told", lambda seed, *_: f"# the story of seed {seed}")
    result = _run("--seeds", "1-5", "--events", "200", "--all-met", *plant)
    assert result.exit_code == status
    assert result.stdout.startswith("interrupted after 2 of 5 runs\n2 runs, ")
    assert "never met" not in result.stdout  # it may have been about to come
    assert ("\n# the story of seed 2" in result.stdout) == bool(plant)
    assert ("\nseed 2 (safety), event " in result.stdout) == bool(plant)
    assert gc.isenabled(), "the tests that follow collect their garbage"


def test_a_bug_that_there_is_not() -> None:
    result = _run("--plant", "acknowledges-to-little")
    assert result.exit_code == 2
    assert "no bug is called 'acknowledges-to-little'; is it acknowledges-too-little or " in result.output
    assert "no bug is called '!'; tests/verification/simulation/mutants/found.md has all" in _run("--plant", "!").output


def test_a_log_that_can_not_be_written(tmp_path: Path) -> None:
    result = _run("--seeds", "1", "--log", str(tmp_path / "none" / "run.log"))
    assert result.exit_code == 2
    assert "run.log: No such file or directory" in result.output


def test_what_never_came_is_a_finding_if_that_is_asked_for() -> None:
    result = _run("--seeds", "1", "--events", "100", "--all-met")
    assert result.exit_code == 1
    assert "never met: node crashes" in result.stdout
    assert "never met: node gone for good" not in result.stdout  # it never comes where everything heals
    assert not any(f"never met: {name}\n" in result.stdout for name in UNMET)


def test_seeds_that_are_none() -> None:
    for seeds in ("one", "1-x", "9-1", "1-", "-1", "1-2-3", ""):
        assert _run("--seeds", seeds).exit_code == 2, seeds


def test_every_exception_is_something_that_is_counted_and_has_its_scenario() -> None:
    assert not UNMET.keys() - set(NAMES)
    assert all((FOLDER / unmet.scenario).is_file() for unmet in UNMET.values())
