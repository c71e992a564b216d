"""Every step of a simulated run is a step of the model in ``docs/proof/model``, as TLC finds."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import or_skip
from tests.support.tlc import Tlc, Verdict, find_tlc
from tests.verification.model.runs import Run, record, write_runs
from tests.verification.simulation.mutants import MUTANTS, planted

MODEL = Path(__file__).parents[3] / "docs" / "proof" / "model"

#: Ten short runs in which, together, each kind of step occurs.
SEEDS = (3, 6, 10, 25, 27, 32, 34, 39, 44, 52)
EVENTS = 400
#: Of these, as many as it takes to find what is planted.
ENOUGH = (3, 10, 27)

#: The kinds of steps; a commit that is served twice is too rare for ten runs.
KINDS = set(re.findall(r'e\.a = "(\w+)"', (MODEL / "Trace.tla").read_text())) - {"RepeatCommit"}

#: Bugs of a coordinator and of a member. The runs go on when a rule of the simulator is broken.
PLANTS = ("granted-at-epoch-0", "lost-answer-fences", "flows-while-revoking")


@pytest.fixture(scope="module")
def tlc() -> Tlc:
    return or_skip(find_tlc)


def check(tlc: Tlc, folder: Path, runs: list[Run]) -> Verdict:
    copy = folder / "model"
    shutil.copytree(MODEL, copy)
    write_runs(copy, runs)
    return tlc.check(copy, "Trace.tla", "trace.cfg", workers=1)


def stuck_at(verdict: Verdict, runs: list[Run]) -> str:
    run, at = (int(re.findall(rf"^/\\ {name} = (\d+)", verdict.output, re.MULTILINE)[-1]) for name in ("run", "at"))
    steps = runs[run - 1].steps
    return f"seed {runs[run - 1].seed}, step {at} of {len(steps)}: {steps[at - 1]}"


def test_every_step_of_a_run_is_a_step_of_the_model(tlc: Tlc, tmp_path: Path, figures: Callable[[str], None]) -> None:
    runs = [record(seed, EVENTS) for seed in SEEDS]
    assert not any(run.found for run in runs)
    missing = KINDS - {step["a"] for run in runs for step in run.steps}
    assert not missing, f"other seeds are to be chosen: none of these has {missing}"
    verdict = check(tlc, tmp_path, runs)
    steps = sum(len(run.steps) for run in runs)
    figures(f"{len(runs)} runs of {EVENTS} events, {steps:,} steps")
    assert verdict.broken is None, stuck_at(verdict, runs) if verdict.broken == "Deadlock reached" else verdict.output
    assert verdict.states == steps + len(runs), "no run is left in the middle, and no step has two ends"


@pytest.mark.parametrize("name", PLANTS)
def test_code_that_departs_from_the_model_is_found(
    name: str, tlc: Tlc, tmp_path: Path, figures: Callable[[str], None]
) -> None:
    with planted(MUTANTS[name]):
        runs = [record(seed, EVENTS) for seed in ENOUGH]
    verdict = check(tlc, tmp_path, runs)
    assert verdict.broken == "Deadlock reached", verdict.output
    figures(stuck_at(verdict, runs))
