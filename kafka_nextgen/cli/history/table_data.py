"""Prepare facts for tables: choose the worst ones, and give members readable names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from attrs import evolve

from kafka_nextgen.history.facts import (
    Fact,
    Holdup,
    MemberSummary,
    Overlap,
    Owner,
    Rebalance,
    Repeat,
    Standstill,
    Tenure,
)
from kafka_nextgen.lazy_attrs import define

__all__ = [
    "HoldupSummary",
    "blocking_holdup",
    "by_epoch",
    "longest_standstill_ms",
    "member_names",
    "summarize_holdups",
    "unstable_members",
    "with_member_names",
    "worst_rebalances",
    "worst_standstills",
]

_F = TypeVar("_F", bound=Fact)
_E = TypeVar("_E", Holdup, Standstill)
#: Longer member ids are cut to this many characters if the member has no other name.
_LONGEST_ID, _SHORT = 14, 8
#: The fields with member ids, by kind of fact.
_FIELDS: Mapping[type[Fact], tuple[str, ...]] = {
    Rebalance: ("by", "slowest", "holder"),
    Holdup: ("member",),
    Standstill: ("former", "member"),
    Overlap: ("first", "second"),
    Repeat: ("member",),
    Owner: ("member",),
    Tenure: ("member",),
}


@define
class HoldupSummary:
    """How often a member held up rebalances, and what took the time."""

    member: str
    rebalances: int = 0
    processing_ms: int = 0
    commit_ms: int = 0
    callback_ms: int = 0
    coordinator_ms: int = 0

    @property
    def ms(self) -> int:
        """The total time."""
        return self.processing_ms + self.commit_ms + self.callback_ms + self.coordinator_ms


def blocking_holdup(rebalance: Rebalance, holdups: Sequence[Holdup]) -> Holdup | None:
    """Return the hold-up of the member that the others waited for; None if no hold-up of its epoch took time."""
    return next((each for each in holdups if each.member == rebalance.holder and each.ms), None)


def longest_standstill_ms(standstills: Iterable[Standstill], last: int) -> int:
    """Return the duration of the longest standstill; open ones count up to ``last``, the end of the log."""
    return max((last - each.began if each.ms is None else each.ms for each in standstills), default=0)


def worst_rebalances(rebalances: Sequence[Rebalance], top: int) -> list[Rebalance]:
    """Return the rebalances with the longest standstills, then the longest ones, in order of time."""

    def badness(fact: Rebalance) -> tuple[int, int]:
        return fact.stood_ms, 1 << 62 if fact.ended is None else fact.ended - fact.began

    return sorted(sorted(rebalances, key=badness, reverse=True)[:top], key=lambda each: each.began)


def worst_standstills(standstills: Sequence[Standstill]) -> list[Standstill]:
    """Sort standstills: first those that have not ended, then the longest."""
    return sorted(standstills, key=lambda each: (each.ended is not None, -(each.ms or 0), each.began))


def by_epoch(facts: Iterable[_E]) -> dict[int | None, list[_E]]:
    """Group facts by the epoch of their rebalance."""
    found: dict[int | None, list[_E]] = {}
    for fact in facts:
        found.setdefault(fact.epoch, []).append(fact)
    return found


def summarize_holdups(rebalances: Sequence[Rebalance], holdups: Sequence[Holdup]) -> list[HoldupSummary]:
    """Sum up the hold-ups of each member, the longest total first."""
    of_epoch = by_epoch(holdups)
    found: dict[str, HoldupSummary] = {}
    for rebalance in rebalances:
        holdup = blocking_holdup(rebalance, of_epoch.get(rebalance.epoch, []))
        if holdup is None:
            continue
        one = found.setdefault(holdup.member, HoldupSummary(holdup.member))
        one.rebalances += 1
        one.processing_ms += holdup.processing_ms
        one.commit_ms += holdup.commit_ms
        one.callback_ms += holdup.callback_ms
        one.coordinator_ms += holdup.coordinator_ms
    return sorted(found.values(), key=lambda each: -each.ms)


def unstable_members(members: Sequence[MemberSummary]) -> list[MemberSummary]:
    """Return members that were fenced, rejoined, or had errors, the worst first."""

    def badness(fact: MemberSummary) -> tuple[int, int, int]:
        return fact.poll_timeouts + fact.fenced, fact.joined, fact.errors

    found = [each for each in members if each.fenced or each.poll_timeouts or each.joined > 1 or each.errors]
    return sorted(found, key=badness, reverse=True)


def member_names(members: Iterable[MemberSummary]) -> dict[str, str]:
    """Return unique display names of one group's members: ``group.instance.id``, ``client.id`` or the member id.

    Names of members with the same name also have the beginning of their ids, without the client id with which ids of
    the classic protocol begin.
    """
    known = {each.member: each.instance or each.client or "" for each in members}
    counts = Counter(known.values())
    names = {member: _member_name(member, name, counts[name]) for member, name in known.items()}
    counts = Counter(names.values())
    return {member: name if counts[name] == 1 else member for member, name in names.items()}


def _member_name(member: str, name: str, count: int) -> str:
    if not name:
        return member[:_SHORT] if len(member) > _LONGEST_ID else member
    return name if count == 1 else f"{name} {member.removeprefix(f'{name}-')[:_SHORT]}"


def with_member_names(facts: Iterable[_F], names: Mapping[str, str]) -> list[_F]:
    """Replace member ids with names."""
    return [evolve(fact, **_names_in(fact, names)) for fact in facts]


def _names_in(fact: Fact, names: Mapping[str, str]) -> dict[str, Any]:
    ids = {field: getattr(fact, field) for field in _FIELDS[type(fact)]}
    return {field: names[member] for field, member in ids.items() if member in names}
