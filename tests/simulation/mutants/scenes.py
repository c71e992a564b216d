"""Which of the scenarios of ``tests/scenarios`` fails with a planted bug. One that comes to no end fails, too."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from tests.scenario_language import Scenario
from tests.scenarios.files import FOLDER, PLAYERS, files, scenario_in
from tests.simulation.mutants.planting import Mutant, planted

__all__ = ["failing_scenario"]

#: A scenario takes a tenth of this at most.
_LONGEST_S = 5.0


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


@contextmanager
def _in_time() -> Iterator[None]:
    """Give up what takes too long (time of the processor)."""

    def give_up(*_: object) -> None:
        raise TimeoutError(f"it is not over after {_LONGEST_S} s")

    before = signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, _LONGEST_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _plays(world: str, scenario: Scenario) -> str:
    try:
        with _in_time():
            return PLAYERS[world](scenario).play(scenario)
    except Exception as broken:
        return str(broken)
