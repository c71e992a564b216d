"""How many seeds it takes to find a planted bug, and what finds it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from statistics import median_high

from attrs import frozen

from tests.simulation.mutants.planting import Mutant, planted
from tests.simulation.running import Mode, Simulation

__all__ = ["MOST_SEEDS", "Death", "Trial", "finds", "run", "try_from"]

#: A bug that so many seeds do not show counts as a hole.
MOST_SEEDS = 500
#: The distance between two starts.
_APART = 1_000


@frozen
class Death:
    """A seed that showed a bug. ``found`` is what was found first, ``after`` how many seeds it took."""

    seed: int
    after: int
    events: int
    found: str


@frozen
class Trial:
    """Several starts. A start that found nothing has None."""

    mutant: Mutant
    deaths: tuple[Death | None, ...]

    @property
    def seeds(self) -> int | None:
        """So many seeds it took, as the median of all starts; None if it lived in most."""
        most = MOST_SEEDS + 1
        found = median_high([most if death is None else death.after for death in self.deaths])
        return None if found == most else found

    @property
    def first(self) -> Death | None:
        """The death that took the fewest events."""
        return min((each for each in self.deaths if each), key=lambda death: death.events, default=None)


def run(seed: int, events: int) -> tuple[int, str | None]:
    """So many events a seed took, and what it found first. A machine that stumbles has found its own mistake.

    Every second seed is in liveness mode.
    """
    simulation = Simulation(seed, events, Mode.SAFETY if seed % 2 else Mode.LIVENESS)
    try:
        verdict = simulation.run()
    except Exception as stumble:
        return simulation.timeline.happened, f"{type(stumble).__name__}: {stumble}"
    return verdict.events, next(iter(verdict.broken), None)


@cache
def _is_sound(seed: int, events: int) -> bool:
    """Whether nothing is found without a bug: else the seed says nothing of one."""
    return run(seed, events)[1] is None


def finds(mutant: Mutant, seed: int, events: int) -> tuple[int, str] | None:
    """What this seed finds with the bug planted, after so many events; None for nothing."""
    with planted(mutant):
        happened, found = run(seed, events)
    return None if found is None or not _is_sound(seed, events) else (happened, found)


def try_from(mutant: Mutant, start: int, events: int, most: int = MOST_SEEDS) -> Death | None:
    """Try seeds one after the other until one shows the bug."""
    for after in range(1, most + 1):
        seed = start * _APART + after
        found = finds(mutant, seed, events)
        if found is not None:
            return Death(seed, after, found[0], found[1])
    return None


def checker_of(found: str) -> str:
    """What was found without what differs from seed to seed: the rule that was broken."""
    rule = re.sub(r"^c\d+/\d+:? ", "", found)
    rule = re.sub(r"TimerKey\([^)]*kind=<TimerKind\.(\w+)[^)]*\)", r"\1 timer", rule)
    rule = re.sub(r"TopicIdPartition\([^)]*\)\)?[^ ]*", "a partition", rule)
    rule = re.sub(r"\bc\d+/\d+\b", "a member", rule)
    rule = re.sub(r"\bt\d+\[[\d, -]+\]", "a partition", rule)
    return re.sub(r"\b\d+\b", "n", rule)


def lines(trial: Trial) -> Iterator[str]:
    """What found it, once each."""
    yield from dict.fromkeys(checker_of(each.found) for each in trial.deaths if each)
