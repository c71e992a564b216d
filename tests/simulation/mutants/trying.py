"""How many seeds it takes to find a planted bug, and what finds it.

A bug is tried from several starts on, one seed after the other; every second seed is in liveness mode. The seed of
each start comes first, then the next of each, until more than half of the starts have found it: so many seeds it takes,
as the median.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from attrs import define, field, frozen

from tests.simulation.casting import Mixture
from tests.simulation.mutants.planting import Mutant, Part, planted
from tests.simulation.running import Mode, Simulation

__all__ = ["MOST_SEEDS", "Death", "Seed", "Trial", "finds", "rule_of", "run", "seed_for"]

#: A seed, how many of its events are to be with faults, and whether it has to settle after that.
Seed = tuple[int, int, bool]

#: A bug that so many seeds do not show counts as a hole.
MOST_SEEDS = 500
#: A death that takes no more events than this is good enough; else the next seeds may have one.
_FEW, _NEXT = 500, 5
#: The distance between two starts.
_APART = 1_000
#: In such groups none of the code is used that a bug is planted in: they are not run.
_WITHOUT: Mapping[Part, tuple[Mixture, ...]] = {
    Part.MEMBER: (Mixture.CLASSIC,),
    Part.COORDINATOR: (Mixture.CLASSIC,),
    Part.CLASSIC_MEMBER: (Mixture.CONSUMER,),
    Part.CLASSIC_GROUP: (Mixture.CONSUMER,),
    Part.MIGRATION: (Mixture.CONSUMER, Mixture.CLASSIC),
    Part.STANDBYS: (Mixture.CLASSIC,),
}


@frozen
class Death:
    """A seed that showed a bug. ``found`` is what was found first, after so many ``events`` in all.

    ``faults`` is how many of them had faults to come; if it was found among these, the run need not settle.
    """

    seed: int
    faults: int
    events: int
    found: str

    @property
    def settles(self) -> bool:
        """Whether it was found only after all had healed."""
        return self.events > self.faults

    @property
    def known(self) -> Seed:
        """What has to be known to see it again."""
        return self.seed, self.faults, self.settles


@define
class Trial:
    """Several starts, of which each has tried so many seeds; those that found the bug have its death."""

    deaths: list[Death | None] = field(factory=list)
    tried: int = 0

    @property
    def seeds(self) -> int | None:
        """So many seeds it took, as the median of all starts; None if it lives."""
        return self.tried if self._is_over else None

    @property
    def _is_over(self) -> bool:
        return 2 * sum(each is not None for each in self.deaths) > len(self.deaths)

    def go_on(self, mutant: Mutant, events: int, most: int) -> None:
        """Try up to so many seeds of each start."""
        while self.tried < most and not self._is_over:
            self.tried += 1
            for start, death in enumerate(self.deaths):
                if death is None and not self._is_over:
                    self.deaths[start] = finds(mutant, start * _APART + self.tried, events)

    @property
    def shortest(self) -> Death | None:
        """The death that took the fewest events."""
        return min((each for each in self.deaths if each), key=lambda death: death.events, default=None)

    @property
    def rules(self) -> Iterator[str]:
        """What found it, once each."""
        yield from dict.fromkeys(rule_of(each.found) for each in self.deaths if each)


def run(seed: int, events: int, *, settles: bool = True, has_standbys: bool = False) -> tuple[int, str | None]:
    """So many events a seed took, and what it found first. A machine that stumbles has found its own mistake."""
    mode = Mode.SAFETY if seed % 2 else Mode.LIVENESS
    simulation = Simulation(seed, events, mode, settles=settles, has_standbys=has_standbys)
    try:
        verdict = simulation.run()
    except Exception as stumble:
        return simulation.timeline.happened, f"{type(stumble).__name__}: {stumble}"
    return verdict.events, next(iter(verdict.broken), None)


@cache
def _is_sound(seed: int, events: int, has_standbys: bool) -> bool:
    """Whether nothing is found without a bug: else the seed says nothing of one."""
    return run(seed, events, has_standbys=has_standbys)[1] is None


def finds(mutant: Mutant, seed: int, events: int, *, settles: bool = True) -> Death | None:
    """How this seed shows the bug; None if it does not, or finds something without it, too."""
    if Simulation(seed).casting.mixture in _WITHOUT.get(mutant.part, ()):
        return None
    has_standbys = mutant.part is Part.STANDBYS
    with planted(mutant):
        happened, found = run(seed, events, settles=settles, has_standbys=has_standbys)
    if found is None or (settles and not _is_sound(seed, events, has_standbys)):
        return None
    return Death(seed, min(happened, events), happened, found)


def seed_for(mutant: Mutant, events: int, most: int) -> Seed | None:
    """The first seed that shows a bug; or one of the next few if that takes fewer events."""
    deaths: list[Death] = []
    for seed in range(1, most + 1):
        death = finds(mutant, seed, events)
        deaths += [death] if death else []
        if deaths and (deaths[-1].events <= _FEW or seed >= deaths[0].seed + _NEXT):
            break
    return min(deaths, key=lambda death: death.events).known if deaths else None


_NAMES = (
    (r"^c\d+/\d+:? ", ""),
    (r"TimerKey\([^)]*kind=<TimerKind\.(\w+)[^)]*\)", r"\1 timer"),
    (r"\[(TopicIdPartition\([^)]*\)(, partition=\d+\))?(, )?)+\]", "partitions"),
    (r"TopicIdPartition\([^)]*\)(, partition=\d+\))?", "a partition"),
    (r"\{?'?c\d+/\d+(-\d+-\d+)?'?\}?", "a member"),
    (r"[0-9a-f-]{36}", "a topic"),
    (r"'?\bt\d+'?\[[\d, -]+\]( t\d+\[[\d, -]+\])*", "a partition"),
    (r"\[\d[\d, -]*\]", "[n]"),
    (r"'?\bt\d\b'?", "a topic"),
    (r"'c\d+'|\bc\d+\b", "an instance"),
    (r"\b\d+\b", "n"),
)


def rule_of(found: str) -> str:
    """What was found without what differs from seed to seed: the rule that was broken."""
    for pattern, name in _NAMES:
        found = re.sub(pattern, name, found)
    return found
