"""A failing seed made small: fewer clients, topics, faults and events that still come to the same finding.

The draws of the run are made 0, whole streams first, then many at a time and then fewer (delta debugging): 0 is the
plainest of each draw, so what is left is what the finding needs. Two findings are the same if they differ in names and
numbers only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from attrs import frozen

from tests.simulation.dice import Draws, Place
from tests.simulation.running import Mode, Simulation, Verdict

__all__ = ["Small", "rule_of", "shrunk"]


@frozen
class Small:
    """A run that still fails: its draws that are not 0, and what came of it."""

    draws: Draws
    events: int
    verdict: Verdict


def shrunk(seed: int, events: int, mode: Mode = Mode.SAFETY, tries: int = 1_000) -> Small:
    """Make the run of a seed small, in at most so many tries. Raises ValueError if nothing is found in it."""
    simulation = Simulation(seed, events, mode)
    verdict = simulation.run()
    if not verdict.broken:
        raise ValueError(f"nothing is found in seed {seed}")
    draws = {place: draw for place, draw in simulation.dice.drawn.items() if draw}
    return _Shrinker(Small(draws, events, verdict), mode, tries).run()


class _Shrinker:
    def __init__(self, small: Small, mode: Mode, tries: int) -> None:
        self._small = small
        self._mode = mode
        self._settles = small.verdict.events > small.events  # it was found after the faults
        self._rule = rule_of(small.verdict.broken[0])
        self._tries = tries

    def run(self) -> Small:
        self._take(self._small.draws, min(self._small.events, self._small.verdict.events))
        self._shrink_streams()
        self._shrink_places()
        return self._small

    def _shrink_streams(self) -> None:
        for name in sorted({name for name, _ in self._small.draws}, reverse=True):
            self._without({place for place in self._small.draws if place[0] == name})

    def _shrink_places(self) -> None:
        parts = 2
        while self._tries > 0:
            places = sorted(self._small.draws)
            gone = [self._without(part) for part in reversed(_split(places, parts))]  # the last ones matter least
            if not any(gone) and parts >= len(places):
                return
            parts = parts if any(gone) else min(parts * 2, len(places))

    def _without(self, places: Iterable[Place]) -> bool:
        if self._tries <= 0:
            return False
        left = set(places)
        draws = {place: draw for place, draw in self._small.draws.items() if place not in left}
        return len(draws) < len(self._small.draws) and self._take(draws, self._small.events)

    def _take(self, draws: Draws, events: int) -> bool:
        """Try this; keep it if it comes to the same finding."""
        self._tries -= 1
        try:
            verdict = Simulation(0, events, self._mode, draws, self._settles).run()
        except AssertionError:
            return False
        if not verdict.broken or rule_of(verdict.broken[0]) != self._rule:
            return False
        self._small = Small(draws, min(events, verdict.events), verdict)
        return True


def _split(places: Sequence[Place], parts: int) -> list[Sequence[Place]]:
    size = max(1, -(-len(places) // parts))
    return [places[start : start + size] for start in range(0, len(places), size)]


def rule_of(finding: str) -> str:
    """A finding without names and numbers."""
    return re.sub(r"[\[\d,\s-]+\]|\bc\d+/\d+(?:-\d+)*|\bt\d+|\d+", "", finding)
