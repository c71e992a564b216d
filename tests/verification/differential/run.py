"""A run: episodes of one seed until there were enough requests, and a report of what differed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeVar

from attrs import define, field, frozen

from tests.verification.differential.drawing.episode import draw_episode
from tests.verification.differential.episode import Episode, Finding
from tests.verification.differential.steps import Step

T = TypeVar("T")

_EPISODE_REQUESTS = 80


@frozen
class Found:
    """A difference without explanation: the seed, the episode, and the fewest requests that show it."""

    seed: int
    episode: int
    finding: Finding
    steps: Sequence[Step]

    def lines(self) -> list[str]:
        head = (
            f"seed {self.seed}, episode {self.episode}: {len(self.steps)} requests show a difference without an entry"
        )
        return [head, *(f"  {number}. {step}" for number, step in enumerate(self.steps, 1)), *map(str, [self.finding])]


@define
class Report:
    """What a run has seen."""

    episodes: int = 0
    requests: Counter[str] = field(factory=Counter)
    known: Counter[str] = field(factory=Counter)
    found: list[Found] = field(factory=list)

    def lines(self) -> list[str]:
        counts = ", ".join(f"{name} {count}" for name, count in sorted(self.requests.items()))
        known = ", ".join(f"{name} {count}" for name, count in sorted(self.known.items())) or "none"
        return [
            f"{self.requests.total()} requests to each broker in {self.episodes} episodes: {counts}",
            f"answers with a known difference: {known}",
            f"differences without an entry: {len(self.found)}",
            *(line for found in self.found for line in found.lines()),
        ]


def run(
    embedded: str,
    kafka: str,
    *,
    seed: int,
    requests: int,
    most_tries: int = 60,
    say: Callable[[str], None] = lambda line: None,
) -> Report:
    """Send at least so many requests to the brokers with these ``bootstrap_servers``, and compare.

    What differs without an entry is shrunk by playing parts of its episode again, ``most_tries`` times at most.
    """
    report = Report()
    while report.requests.total() < requests:
        steps = draw_episode(f"{seed}/{report.episodes}", min(_EPISODE_REQUESTS, requests))
        played = Episode.on(embedded, kafka).play(steps)
        for finding in played.findings:
            if finding.signature not in _signatures(report):
                found = Found(seed, report.episodes, *fewest(embedded, kafka, steps, finding, most_tries))
                report.found.append(found)
                say("\n".join(found.lines()))
        report.episodes += 1
        report.requests += played.requests
        report.known += played.known
        say(f"{report.requests.total()} requests, {len(report.found)} found")
    return report


def _signatures(report: Report) -> set[tuple[str, ...]]:
    return {found.finding.signature for found in report.found}


def fewest(
    embedded: str, kafka: str, steps: Sequence[Step], finding: Finding, most_tries: int
) -> tuple[Finding, list[Step]]:
    """The finding and the fewest requests of its episode that still show it."""
    last = finding

    def shows(fewer: Sequence[Step]) -> bool:
        nonlocal last
        played = Episode.on(embedded, kafka).play([*needed, *fewer])
        same = [found for found in played.findings if found.signature == finding.signature]
        last = same[0] if same else last
        return bool(same)

    last_number = next(number for number, step in enumerate(steps) if step is finding.after)
    before = steps[: last_number + 1]
    needed = [step for step in before if step.is_needed]
    left = shrunk([step for step in before if not step.is_needed], shows, most_tries)
    return last, [*needed, *left]


def shrunk(steps: Sequence[T], shows: Callable[[Sequence[T]], bool], most_tries: int) -> list[T]:
    """Leave out as many steps as can be, large pieces first, while the rest ``shows`` it; so many tries at most."""
    left, size, tries = list(steps), len(steps) // 2, 0
    while size:
        start = 0
        while start < len(left) and tries < most_tries:
            without = left[:start] + left[start + size :]
            tries += 1
            if shows(without):
                left = without
            else:
                start += size
        size //= 2
    return left
