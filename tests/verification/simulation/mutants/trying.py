"""How many seeds it takes to find a planted bug, and what finds it.

A bug is tried from several starts on, one seed after the other; every second seed is in liveness mode. The seed of
each start comes first, then the next of each, until more than half of the starts have found it: so many seeds it takes,
as the median. What was tried is kept, so that one may stop and go on, as long as nothing that has to do with it has
changed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path

from attrs import asdict, define, field, frozen

from tests.verification.simulation.casting import Mixture
from tests.verification.simulation.mutants.planting import Mutant, Part, planted
from tests.verification.simulation.running import Simulation, mode_of

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
    Part.CLASSIC_STANDBYS: (Mixture.CONSUMER,),
}

#: What runs do not have unless they are told to, by part.
_NEEDS: Mapping[Part, Part] = {
    Part.STANDBYS: Part.STANDBYS,
    Part.CLASSIC_STANDBYS: Part.STANDBYS,
    Part.LEAVING: Part.LEAVING,
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
        while self.tried < most and not self._is_over:
            self.tried += 1
            for start, death in enumerate(self.deaths):
                if death is None and not self._is_over:
                    self.deaths[start] = finds(mutant, start * _APART + self.tried, events)

    @property
    def shortest(self) -> Death | None:
        return min((each for each in self.deaths if each), key=lambda death: death.events, default=None)

    @property
    def rules(self) -> Iterator[str]:
        yield from dict.fromkeys(rule_of(each.found) for each in self.deaths if each)


def run(seed: int, events: int, part: Part | None = None, *, settles: bool = True) -> tuple[int, str | None]:
    """So many events a seed took, and what it found first; ``part`` is what the run has to have (``special``).

    A machine that stumbles has found its own mistake.
    """
    simulation = Simulation(
        seed,
        events,
        mode_of(seed),
        settles=settles,
        has_standbys=part is Part.STANDBYS,
        has_leaving=part is Part.LEAVING,
    )
    try:
        verdict = simulation.run()
    except Exception as stumble:
        return simulation.timeline.happened, f"{type(stumble).__name__}: {stumble}"
    return verdict.events, next(iter(verdict.broken), None)


@cache
def _is_sound(seed: int, events: int, part: Part | None) -> bool:
    """Whether nothing is found without a bug: else the seed says nothing of one."""
    return run(seed, events, part)[1] is None


def special(part: Part) -> Part | None:
    """What runs need besides, or else they would not have the part at all."""
    return _NEEDS.get(part)


def finds(mutant: Mutant, seed: int, events: int, *, settles: bool = True) -> Death | None:
    """How this seed shows the bug; None if it does not, or finds something without it, too."""
    if Simulation(seed).casting.mixture in _WITHOUT.get(mutant.part, ()):
        return None
    part = special(mutant.part)
    with planted(mutant):
        happened, found = run(seed, events, part, settles=settles)
    if found is None or (settles and not _is_sound(seed, events, part)):
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


_ROOT = Path(__file__).parents[4]
_VERIFICATION = Path(__file__).parents[2]
_HERE = Path(__file__).parent


@frozen
class Setting:
    """How bugs are tried: how many events of each seed until all heals, and from how many seeds on."""

    events: int
    starts: int


@define
class Kept:
    """A file of what was tried. Each line has all of one bug by then; the last one counts."""

    path: Path
    setting: Setting
    _lines: dict[str, dict[str, object]] = field(init=False)

    def __attrs_post_init__(self) -> None:
        lines = map(json.loads, self.path.read_text().splitlines()) if self.path.exists() else ()
        self._lines = {line["name"]: line for line in lines}

    def trial(self, mutant: Mutant) -> Trial:
        line = self._lines.get(mutant.name)
        if line is None or line["of"] != self._state(mutant):
            return Trial([None] * self.setting.starts)
        deaths: list[Death | None] = [each and Death(**each) for each in line["deaths"]]  # type: ignore[attr-defined]
        return Trial(deaths, line["tried"])  # type: ignore[arg-type]

    def keep(self, mutant: Mutant, trial: Trial) -> None:
        line = {"name": mutant.name, "of": self._state(mutant), **asdict(trial)}
        self._lines[mutant.name] = line
        self.path.parent.mkdir(exist_ok=True)
        with self.path.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def _state(self, mutant: Mutant) -> str:
        module = mutant.plant.__module__.rpartition(".")[2]
        return _digest(_of_all(), (_HERE / f"{module}.py").read_bytes(), repr(self.setting).encode())


@cache
def _of_all() -> bytes:
    paths: Iterable[Path] = (
        *sorted((_ROOT / "kafka_nextgen").rglob("*.py")),
        *sorted((_VERIFICATION / "invariants").glob("*.py")),
        *sorted((_VERIFICATION / "scenario_language").rglob("*.py")),
        *sorted((_VERIFICATION / "simulation").glob("*.py")),
        *sorted((_VERIFICATION / "simulation" / "checking").glob("*.py")),
        *(_HERE / "planting.py", _HERE / "trying.py"),
    )
    return _digest(*(path.read_bytes() for path in paths if not path.name.startswith("test_"))).encode()


def _digest(*parts: bytes) -> str:
    return sha256(b"".join(sha256(part).digest() for part in parts)).hexdigest()
