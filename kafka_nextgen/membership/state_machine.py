"""The parts that the client's state machines share: settings and context of a rule, numbers, retries, rule tables.

A rule takes a state, an event and a context, and returns a state and effects. ``Member``, ``ClassicMember``,
``AssigningMachine`` and ``OffsetMachine`` are made of rules.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from enum import Enum
from typing import Any, Generic, TypeVar

from attrs import evolve, frozen

__all__ = [
    "IgnoredIn",
    "Numbering",
    "RetrySettings",
    "RowOf",
    "RuleContext",
    "all_ignored",
    "ignored",
    "numbered",
    "retry_at",
    "row",
    "rows",
    "stay",
    "whole_table",
]

S = TypeVar("S", bound=Enum)  # a status
R = TypeVar("R")  # a rule
X = TypeVar("X")  # a machine's state
E = TypeVar("E")  # an event
M = TypeVar("M")  # the context
Y = TypeVar("Y")  # the result of a rule


@frozen(kw_only=True)
class RetrySettings:
    """Failed requests are repeated after ``retry_backoff_s`` seconds, doubling to ``retry_backoff_max_s``."""

    retry_backoff_s: float = 0.1
    retry_backoff_max_s: float = 1.0


Settings = TypeVar("Settings", bound=RetrySettings, covariant=True)


@frozen
class RuleContext(Generic[Settings]):
    """When a rule is applied: ``now`` in seconds of a monotonic clock, ``chance`` in [0, 1) for jitter."""

    now: float
    chance: float
    settings: Settings


def retry_at(failures: int, at: RuleContext[RetrySettings], *, first_at_once: bool = False) -> float:
    """The time of the next try after so many consecutive failures; the delay has a jitter of 20 %.

    With ``first_at_once`` the first try waits for nothing: that is for answers which only say that something else
    has to be done first. If they keep coming, they don't get a request each.
    """
    doublings = failures - 1 - first_at_once
    if doublings < 0:
        return at.now
    settings = at.settings
    delay_s = min(settings.retry_backoff_s * 2.0 ** min(doublings, 30), settings.retry_backoff_max_s)
    return at.now + delay_s * (0.8 + 0.4 * at.chance)


@frozen(kw_only=True)
class Numbering:
    """The counter in a machine's state.

    It numbers requests, commits, callbacks and targets, so that each number is unique. A completion with an
    unexpected number is late.
    """

    last_number: int = 0


N = TypeVar("N", bound=Numbering)


def numbered(state: N) -> tuple[N, int]:
    """Take the next number."""
    number = state.last_number + 1
    return evolve(state, last_number=number), number


@frozen
class RowOf(Generic[S, R]):
    """In ``status``, on ``event``, ``rule`` applies and leads to one of ``to``."""

    status: S
    event: type
    rule: R
    to: frozenset[S]


@frozen
class IgnoredIn(Generic[S]):
    """In each of ``statuses``, ``event`` changes nothing, for this reason."""

    event: type
    statuses: frozenset[S]
    reason: str


def row(status: S, event: type[E], rule: Callable[[X, E, M], Y], *to: S) -> RowOf[S, Callable[[X, Any, M], Y]]:
    """Make a row; mypy checks that the rule takes this event."""
    return RowOf(status, event, rule, frozenset(to))


def rows(
    status: S, events: Iterable[type[E]], rule: Callable[[X, E, M], Y], *to: S
) -> Iterable[RowOf[S, Callable[[X, Any, M], Y]]]:
    """Make a row for each event."""
    return [row(status, event, rule, *to) for event in events]


def stay(event: type[E], rule: Callable[[X, E, M], Y], *statuses: S) -> Iterable[RowOf[S, Callable[[X, Any, M], Y]]]:
    """Make a row for each status; the rule leaves the member there."""
    return [row(status, event, rule, status) for status in statuses]


def ignored(event: type, reason: str, *statuses: S) -> IgnoredIn[S]:
    """Say why an event has no rule in these statuses."""
    return IgnoredIn(event, frozenset(statuses), reason)


def all_ignored(events: Iterable[type], reason: str, *statuses: S) -> Iterable[IgnoredIn[S]]:
    """Say why these events have no rule in these statuses."""
    return [ignored(event, reason, *statuses) for event in events]


def whole_table(
    rules: Collection[RowOf[S, R]],
    ignored: Collection[IgnoredIn[S]],
    statuses: Iterable[S],
    events: Collection[type],
) -> Mapping[tuple[S, type], RowOf[S, R]]:
    """The rows by status and event; asserts that every pair has a rule, or a reason to have none, and not both."""
    table = {(row.status, row.event): row for row in rules}
    reasons = {(status, entry.event) for entry in ignored for status in entry.statuses}
    assert len(table) == len(rules), "no pair has two rules"
    assert len(reasons) == sum(len(entry.statuses) for entry in ignored), "no pair has two reasons"
    assert not table.keys() & reasons, "no pair has both a rule and a reason to be ignored"
    pairs = {(status, event) for status in statuses for event in events}
    assert pairs == table.keys() | reasons, "every pair is listed"
    return table
