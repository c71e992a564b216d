"""Which of the scenarios of ``tests/scenarios`` fails with a planted bug."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from kafka_nextgen.scenarios import Scenario
from tests.scenarios.files import FOLDER, PLAYERS, files, scenario_in
from tests.simulation.mutants.planting import Mutant, planted

__all__ = ["failing_scenario"]


@cache
def _scenarios() -> list[tuple[Path, str, Scenario]]:
    """All of them, those with the fewest commands first."""
    found = [(path, path.read_text(), scenario_in(path)) for path in files()]
    return sorted(found, key=lambda each: (each[1].count("----"), each[0]))


def failing_scenario(mutant: Mutant) -> str | None:
    """The shortest scenario that does not come back as it is written."""
    scenarios = _scenarios()
    with planted(mutant):
        for path, written, scenario in scenarios:
            if any(_plays(world, scenario) != written for world in scenario.worlds if world in PLAYERS):
                return path.relative_to(FOLDER).as_posix()
    return None


def _plays(world: str, scenario: Scenario) -> str:
    try:
        return PLAYERS[world](scenario).play(scenario)
    except Exception as broken:
        return str(broken)
