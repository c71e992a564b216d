"""The TLA+ model in ``docs/proof/model``: TLC finds nothing in it, and finds what is planted in a copy."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import or_skip
from tests.support.tlc import Tlc, Verdict, find_tlc
from tests.verification.invariants import groups
from tests.verification.scenario_language import watching
from tests.verification.simulation import settling
from tests.verification.simulation.checking import answers, judge, promises

MODEL = Path(__file__).parents[3] / "docs" / "proof" / "model"

#: Where what must hold is checked of the shipped machines.
CHECKERS = [Path(str(module.__file__)) for module in (groups, judge, promises, answers, settling)]

#: Too long for every run: index.md of the model says what came of these, and how to start them.
ON_DEMAND = {"commits-disturbed", "disturbed-twice", "settles-disturbed"}

#: Where, what, with what instead, which configuration shows it, and what breaks.
PLANTS = {
    "grants before others have let go": (
        "Reconciliation.tla",
        "grant == wanted \\intersect free",
        "grant == wanted",
        "members",
        "OneOwner",
    ),
    "goes on to the next epoch without revoking": (
        "Reconciliation.tla",
        "IN IF ShowsGone(owned, revoke)",
        "IN IF TRUE",
        "members",
        "NoTrespasser",
    ),
    "reports what it has now, and not what it is about to get": (
        "Member.tla",
        "member.owned \\union member.goal \\union member.target",
        "member.owned",
        "disturbed",
        "ReportedUntilGivenUp",
    ),
    "takes commits of any older epoch": (
        "Coordinator.tla",
        "HadItBy(group.current[request.m], p, request.epoch)",
        "TRUE",
        "commits",
        "CommitsAreTheOwners",
    ),
    "answers before its records are replicated": (
        "ConsumerGroup.tla",
        "ELSE Append1(result.group, m, result.answer) /\\ UNCHANGED heard",
        "ELSE Append1(result.group, NoOne, result.answer) /\\ heard' = [heard EXCEPT ![m] = Says(result.answer)]",
        "disturbed",
        "NoTrespasser",
    ),
}

ALL_KINDS = 'Disturbances = {"leave", "rebalance", "expire", "lose", "late", "repeat", "failover"}'

#: What a planted fault needs of all that disturbs, where everything would take long.
ENOUGH = {"answers before its records are replicated": "failover"}

#: Checked with runs of the simulator, in test_traces.py.
TRACES = "trace"

#: What an old coordinator that still answers breaks.
DEPOSED = ("deposed", "NoTrespasser")

#: What no coordinator can tell from what is in order: kinds of late requests, and what they break.
UNPREVENTED = {"join": ("disturbed", "NoTrespasser"), "commit": ("one-member", "CommittedStays")}


@pytest.fixture(scope="module")
def tlc() -> Tlc:
    return or_skip(find_tlc)


def configurations() -> list[str]:
    return sorted({path.stem for path in MODEL.glob("*.cfg")} - ON_DEMAND - {TRACES, DEPOSED[0]})


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    folder = tmp_path / "model"
    shutil.copytree(MODEL, folder)
    return folder


def replace(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert text.count(old) == 1, f"{file.name} has changed, and {old!r} is to be found anew"
    file.write_text(text.replace(old, new))


def check(tlc: Tlc, folder: Path, configuration: str, *, workers: int = 1) -> Verdict:
    """With one worker the same is found each time."""
    return tlc.check(folder, "Invariants.tla", f"{configuration}.cfg", workers=workers)


@pytest.mark.parametrize("configuration", configurations())
def test_nothing_is_found(configuration: str, tlc: Tlc, figures: Callable[[str], None]) -> None:
    verdict = check(tlc, MODEL, configuration, workers=2)
    figures(f"{verdict.states:,} states, {verdict.generated:,} steps, depth {verdict.depth}")
    assert verdict.broken is None, verdict.output
    assert verdict.states > 0
    assert verdict.depth > 0


@pytest.mark.parametrize("name", PLANTS)
def test_a_planted_fault_is_found(name: str, tlc: Tlc, copy: Path, figures: Callable[[str], None]) -> None:
    file, right, wrong, configuration, rule = PLANTS[name]
    replace(copy / file, right, wrong)
    if name in ENOUGH:
        replace(copy / f"{configuration}.cfg", ALL_KINDS, f'Disturbances = {{"{ENOUGH[name]}"}}')
    verdict = check(tlc, copy, configuration)
    figures(f"{verdict.broken} after {verdict.states:,} states")
    assert verdict.broken == rule, verdict.output


@pytest.mark.parametrize("kind", UNPREVENTED)
def test_a_request_that_comes_late_from_a_connection_given_up_does_harm(kind: str, tlc: Tlc, copy: Path) -> None:
    configuration, rule = UNPREVENTED[kind]
    replace(copy / f"{configuration}.cfg", 'Overtakes = {"keepalive", "leave"}', f'Overtakes = {{"{kind}"}}')
    assert check(tlc, copy, configuration).broken == rule


def test_an_old_coordinator_that_still_answers_does_harm(tlc: Tlc) -> None:
    configuration, rule = DEPOSED
    assert check(tlc, MODEL, configuration).broken == rule


def named() -> list[tuple[str, str]]:
    """The invariants of the page, each with what checks it in the shipped machines."""
    rows = re.findall(r"^\| (\w+) \|.*\| (.*) \|$", (MODEL / "index.md").read_text(), re.MULTILINE)
    return [(name, checked_by) for name, checked_by in rows if name[0].isupper()]


def test_the_page_has_every_invariant() -> None:
    listed = {name for path in MODEL.glob("*.cfg") for name in re.findall(r"\b[A-Z]\w+[a-z]\b", rules_in(path))}
    assert listed == {name for name, _ in named()}


def rules_in(path: Path) -> str:
    """The part of a configuration that names invariants and properties."""
    return "".join(re.findall(r"(?:INVARIANTS|PROPERTIES)(.*?)(?=^[A-Z])", path.read_text(), re.DOTALL | re.MULTILINE))


@pytest.mark.parametrize(("name", "checked_by"), named())
def test_each_invariant_is_checked_in_the_shipped_machines_too(name: str, checked_by: str) -> None:
    if sentence := re.fullmatch(r'"(.*)"', checked_by):
        assert f'"{sentence[1]}"' in Path(str(watching.__file__)).read_text()
    elif function := re.fullmatch(r"`(\w+)\.(\w+)`", checked_by):
        (path,) = (path for path in CHECKERS if path.stem == function[1])
        assert f"def {function[2]}(" in path.read_text()
    else:
        assert name == "OneReader", "it follows from another one"
