"""What comes first: the worst of each kind, and who is to be looked at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import define

from kafka_nextgen.history.facts import Holdup, MemberSummary, Rebalance, Standstill

__all__ = [
    "Waits",
    "by_epoch",
    "holding_up",
    "restless",
    "waits",
    "worst_rebalances",
    "worst_standstills",
]


@define
class Waits:
    """How often a member held a rebalance up, and what took it so long then."""

    member: str
    rebalances: int = 0
    processing_ms: int = 0
    commit_ms: int = 0
    callback_ms: int = 0
    coordinator_ms: int = 0

    @property
    def ms(self) -> int:
        """All of it."""
        return self.processing_ms + self.commit_ms + self.callback_ms + self.coordinator_ms


def holding_up(rebalance: Rebalance, holdups: Sequence[Holdup]) -> Holdup | None:
    """The hold-up of the member that the others waited for, of those of its epoch; None if there is none."""
    return next((each for each in holdups if each.member == rebalance.holder), None)


def worst_rebalances(rebalances: Sequence[Rebalance], top: int) -> list[Rebalance]:
    """Those in which partitions stood still the longest, then those that took the longest; in order of time."""

    def badness(fact: Rebalance) -> tuple[int, int]:
        return fact.stood_ms, 1 << 62 if fact.ended is None else fact.ended - fact.began

    return sorted(sorted(rebalances, key=badness, reverse=True)[:top], key=lambda each: each.began)


def worst_standstills(standstills: Sequence[Standstill], top: int) -> list[Standstill]:
    """The longest first; those that are not over before all others."""
    return sorted(standstills, key=lambda each: (each.ended is not None, -(each.ms or 0), each.began))[:top]


def by_epoch(holdups: Iterable[Holdup]) -> dict[int, list[Holdup]]:
    """The hold-ups of each epoch."""
    found: dict[int, list[Holdup]] = {}
    for holdup in holdups:
        found.setdefault(holdup.epoch, []).append(holdup)
    return found


def waits(rebalances: Sequence[Rebalance], holdups: Sequence[Holdup]) -> list[Waits]:
    """Members that held a rebalance up; the one that took the longest in all first."""
    of_epoch = by_epoch(holdups)
    found: dict[str, Waits] = {}
    for rebalance in rebalances:
        holdup = holding_up(rebalance, of_epoch.get(rebalance.epoch, []))
        if holdup is None:
            continue
        one = found.setdefault(holdup.member, Waits(holdup.member))
        one.rebalances += 1
        one.processing_ms += holdup.processing_ms
        one.commit_ms += holdup.commit_ms
        one.callback_ms += holdup.callback_ms
        one.coordinator_ms += holdup.coordinator_ms
    return sorted(found.values(), key=lambda each: -each.ms)


def restless(members: Sequence[MemberSummary]) -> list[MemberSummary]:
    """Members that were put out, came more than once, or had errors; the worst first."""

    def badness(fact: MemberSummary) -> tuple[int, int, int]:
        return fact.poll_timeouts + fact.fenced, fact.joined, fact.errors

    found = [each for each in members if each.fenced or each.poll_timeouts or each.joined > 1 or each.errors]
    return sorted(found, key=badness, reverse=True)
