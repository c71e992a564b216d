"""Planted bugs are found, each by a seed that is known to show it, and the page that says so is of these bugs."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from kafka_nextgen.offsets_topic import Codec
from tests.verification.simulation.mutants import MUTANTS, Mutant, Part, planted
from tests.verification.simulation.mutants.__main__ import main
from tests.verification.simulation.mutants.page import known_in, row, rows_of, with_rows, with_summary
from tests.verification.simulation.mutants.trying import (
    Death,
    Kept,
    Setting,
    Trial,
    finds,
    rule_of,
    run,
    seed_for,
    special,
)

PAGE = (Path(__file__).parents[3] / "docs" / "proof" / "mutants.md").read_text()
ROWS = (Path(__file__).parent / "mutants" / "found.md").read_text()
KNOWN = known_in(ROWS)


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_a_planted_bug_is_found(name: str) -> None:
    seed, faults, settles = KNOWN[name]
    assert finds(MUTANTS[name], seed, faults, settles=settles) is not None


def _most_faults() -> dict[tuple[int, Part | None], int]:
    """Of each seed that need not settle, and what its run has besides: the most events with faults."""
    most: dict[tuple[int, Part | None], int] = {}
    for name, (seed, faults, settles) in KNOWN.items():
        if not settles:
            key = seed, special(MUTANTS[name].part)
            most[key] = max(faults, most.get(key, 0))
    return most


@pytest.mark.parametrize(("seed", "part"), sorted(_most_faults(), key=str))
def test_nothing_is_found_there_without_a_bug(seed: int, part: Part | None) -> None:
    """Those that settle are looked at with their bugs."""
    assert run(seed, _most_faults()[seed, part], part, settles=False)[1] is None


def test_each_has_a_row_and_a_seed_if_it_was_found() -> None:
    assert rows_of(ROWS).keys() == MUTANTS.keys()
    assert f"of {len(MUTANTS)} bugs\n" in PAGE
    assert KNOWN.keys() == MUTANTS.keys(), "none is alive"


def test_all_is_put_back() -> None:
    """Whoever comes after a bug finds the package as it was."""
    before = _state()
    for mutant in MUTANTS.values():
        with planted(mutant):
            pass
    after = _state()
    assert [each for each, value in before.items() if after[each] != value] == []


_PLANTED = tuple(
    f"kafka_nextgen.{part}" for part in ("testing", "membership", "requests", "assignors", "engine.member")
)


def _state() -> dict[tuple[str, str], object]:
    """What is in the machines' modules, their tables and their classes, by identity."""
    found: dict[tuple[str, str], object] = {}
    for name, module in sys.modules.items():
        if not name.startswith(_PLANTED):
            continue
        for key, value in vars(module).items():
            found[name, key] = _identity(value)
    return found


def _identity(value: object) -> object:
    if isinstance(value, dict):
        return [(id(key), id(each)) for key, each in value.items()]
    if isinstance(value, Codec):
        return _identity(value.by_number), _identity(value.by_record)
    if isinstance(value, type):
        return id(value), [(key, id(each)) for key, each in vars(value).items() if not key.startswith("__")]
    return id(value)


def _mutant(name: str) -> Mutant:
    return Mutant(name, Part.MEMBER, MUTANTS["keeps-its-epoch"].plant)


def test_the_median_of_all_starts_counts() -> None:
    death = Death(1, 2, 2, "found")
    assert Trial([None, death, death], 7).seeds == 7
    assert Trial([None, None, death], 7).seeds is None


def test_a_bug_is_tried_until_more_than_half_of_the_starts_have_found_it() -> None:
    trial = Trial([None] * 3)
    trial.go_on(_mutant("it"), 200, 9)
    assert trial.seeds is not None
    assert sum(each is not None for each in trial.deaths) == 2


def test_a_seed_that_is_looked_for_again_shows_the_bug() -> None:
    found = seed_for(_mutant("it"), 200, 9)
    assert found is not None
    assert finds(_mutant("it"), found[0], found[1], settles=found[2]) is not None


def test_what_was_tried_is_kept_as_long_as_it_is_tried_alike(tmp_path: Path) -> None:
    tried = Trial([None, Death(1_001, 200, 132, "found")], 3)
    Kept(tmp_path / "kept", Setting(200, 2)).keep(_mutant("it"), tried)
    assert Kept(tmp_path / "kept", Setting(200, 2)).trial(_mutant("it")) == tried
    assert Kept(tmp_path / "kept", Setting(300, 2)).trial(_mutant("it")) == Trial([None, None])
    assert Kept(tmp_path / "kept", Setting(200, 2)).trial(_mutant("other")) == Trial([None, None])


def test_what_differs_from_seed_to_seed_is_left_out_of_a_rule() -> None:
    assert rule_of("c0/1: t2[2] flows while it is given up") == rule_of("c12/3: t0[1] flows while it is given up")
    assert rule_of("c0/1 was told epoch 3, and states 2") == "was told epoch n, and states n"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["two-in-fligt"], "no bug is called 'two-in-fligt'; is it two-in-flight"),
        (["--jobs", "0"], "0 is not in the range"),
        (["--starts", "0"], "0 is not in the range"),
        (["--write", "two-in-flight"], "--write is for all bugs"),
    ],
)
def test_what_the_command_refuses(arguments: list[str], complaint: str) -> None:
    ended = CliRunner().invoke(main, arguments)
    assert ended.exit_code == 2
    assert complaint in ended.output


def test_the_page_says_what_lives() -> None:
    death = Death(2, 100, 300, "c0/1: one heartbeat is in flight")
    head = "Written by nobody: of 2 bugs\n0 were found, 0 of them within 10 seeds. Head.\n"
    before = head + "".join(
        f"| {name} | Does \\| it. | 1 | none | none | none |\n" for name in ("dead", "alive", "other")
    )
    rows = {"dead": row(Trial([death], 2), "member/leave.txt"), "alive": row(Trial([None], 500), None)}
    after = with_summary(with_rows(before, rows), [2, None, 1], 3, 500)
    assert (
        "\n| dead | Does \\| it. | 2 | one heartbeat is in flight | `member/leave.txt` | 2, 100 events, healed |\n"
        in after
    )
    assert "\n| alive | Does \\| it. | alive after 500 | none | none | none |\n" in after
    assert after.endswith("\n| other | Does \\| it. | 1 | none | none | none |\n")
    assert re.match(r"Written by .* --starts 3 --most 500` on [\d-]+: of 3 bugs\n2 were found, 2 of them within", after)
    assert known_in(after) == {"dead": (2, 100, True)}
