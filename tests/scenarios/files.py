"""The scenario files, and comparing what happened with what is written in one.

With ``--rewrite-scenarios`` what happened is written into the file. Then *read the diff*: it is the behaviour that
changed. Under CI nobody reads diffs, so there the flag is an error.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from difflib import unified_diff
from functools import cache
from pathlib import Path

import pytest

from tests.verification.scenario_language import Player, Scenario, pair_player, parse, pure_player, scripted_player
from tests.verification.simulation.stories.verbs import cluster_player

#: The worlds without sockets.
PLAYERS: dict[str, Callable[[Scenario], Player]] = {
    "pure": pure_player,
    "pair": pair_player,
    "scripted": scripted_player,
    "cluster": cluster_player,
}

FLAG = "--rewrite-scenarios"
FOLDER = Path(__file__).parent


def files() -> list[Path]:
    """Return every scenario file."""
    return sorted(FOLDER.rglob("*.txt"))


def scenario_in(path: Path) -> Scenario:
    return _parse_once(path.read_text())


@cache  # while tests are collected, a dozen of lists ask each file for its worlds
def _parse_once(text: str) -> Scenario:
    return parse(text)


def player_of(scenario: Scenario) -> Player:
    """Return a player for the first world without sockets that the scenario names."""
    return next(PLAYERS[world](scenario) for world in scenario.worlds if world in PLAYERS)


def check(path: Path, happened: str, *, rewrite: bool) -> None:
    """Fail unless the file says what happened; or let it say so."""
    if rewrite:
        path.write_text(happened)
    written = path.read_text()
    diff = unified_diff(written.splitlines(), happened.splitlines(), "written", "happened", lineterm="")
    assert happened == written, "\n".join([path.name, *diff])


def add_flag(parser: pytest.Parser) -> None:
    parser.addoption(FLAG, action="store_true", help="write what happened into the scenario files; then read the diff")


def refuse_flag_under_ci(config: pytest.Config) -> None:
    if config.getoption(FLAG) and os.environ.get("CI"):
        raise pytest.UsageError(f"{FLAG} writes expectations nobody would read under CI: run it at your desk")
