"""Every scenario has to come back as it is written, in each of its worlds.

``docs/internals/scenarios.md`` is on the language.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scenarios.files import FLAG, FOLDER, PLAYERS, check, files, scenario_in
from tests.verification.scenario_language.worlds import RELEASES


def played_in(world: str) -> list[object]:
    found = [path for path in files() if world in scenario_in(path).worlds]
    return [pytest.param(world, path, id=f"{world}-{path.relative_to(FOLDER).with_suffix('')}") for path in found]


@pytest.mark.parametrize(("world", "path"), [each for world in PLAYERS for each in played_in(world)])
def test_scenario(world: str, path: Path, request: pytest.FixtureRequest) -> None:
    scenario = scenario_in(path)
    happened = PLAYERS[world](scenario).play(scenario)
    check(path, happened, rewrite=request.config.getoption(FLAG))


def test_every_scenario_has_a_world_there_is() -> None:
    named = {world for path in files() for world in scenario_in(path).worlds}
    assert named <= {*PLAYERS, *RELEASES, "tcp", "kafka"}


def test_every_scenario_begins_with_its_point() -> None:
    assert [path.name for path in files() if not path.read_text().startswith("# ")] == []


def test_scenarios_are_short_enough_to_be_read() -> None:
    assert {path.name: lines for path in files() if (lines := path.read_text().count("\n")) > 100} == {}
