"""Shared parts of the client's state machines: settings and context of a rule, numbering, retries, rule tables.

A rule takes a state, an event and a context, and returns a state and effects. ``Member``, ``ClassicMember``,
``AssigningMachine`` and ``OffsetMachine`` consist of such rules.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from enum import Enum
from typing import Any, Generic, TypeVar

from attrs import evolve

from kafka_nextgen.lazy_attrs import frozen

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
    """The context of a rule: ``now`` is in monotonic seconds, ``chance`` a random number in [0, 1) for jitter."""

    now: float
    chance: float
    settings: Settings


def retry_at(failures: int, at: RuleContext[RetrySettings], *, first_at_once: bool = False) -> float:
    """The time of the next attempt after this number of consecutive failures; the delay is jittered by 20 %.

    With ``first_at_once``, the first retry has no delay: some error codes only mean that the member has to do something
    else first. Later retries are delayed, so that repeated errors of this kind do not cause a busy loop.
    """
    doublings = failures - 1 - first_at_once
    if doublings < 0:
        return at.now
    settings = at.settings
    delay_s = min(settings.retry_backoff_s * 2.0 ** min(doublings, 30), settings.retry_backoff_max_s)
    return at.now + delay_s * (0.8 + 0.4 * at.chance)


@frozen(kw_only=True)
class Numbering:
    """A counter in a machine's state, for requests, commits, callbacks and targets.

    Each number is used once. A completion with an unexpected number is late, and ignored.
    """

    last_number: int = 0


N = TypeVar("N", bound=Numbering)


def numbered(state: N) -> tuple[N, int]:
    """Take the next number."""
    number = state.last_number + 1
    return evolve(state, last_number=number), number


@frozen
class RowOf(Generic[S, R]):
    """One row of a table: on ``event`` in ``status``, apply ``rule``, which leads to one of the statuses in ``to``."""

    status: S
    event: type
    rule: R
    to: frozenset[S]


@frozen
class IgnoredIn(Generic[S]):
    """``event`` changes nothing in ``statuses``, for this ``reason``."""

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
    """Make a row for each status, with a rule that does not change the status."""
    return [row(status, event, rule, status) for status in statuses]


def ignored(event: type, reason: str, *statuses: S) -> IgnoredIn[S]:
    """State why an event has no rule in these statuses."""
    return IgnoredIn(event, frozenset(statuses), reason)


def all_ignored(events: Iterable[type], reason: str, *statuses: S) -> Iterable[IgnoredIn[S]]:
    """State why these events have no rule in these statuses."""
    return [ignored(event, reason, *statuses) for event in events]


def whole_table(
    rules: Collection[RowOf[S, R]],
    ignored: Collection[IgnoredIn[S]],
    statuses: Iterable[S],
    events: Collection[type],
) -> Mapping[tuple[S, type], RowOf[S, R]]:
    """Index the rows by status and event. Asserts that every pair has either a rule or a reason to be ignored."""
    table = {(row.status, row.event): row for row in rules}
    reasons = {(status, entry.event) for entry in ignored for status in entry.statuses}
    assert len(table) == len(rules), "no pair has two rules"
    assert len(reasons) == sum(len(entry.statuses) for entry in ignored), "no pair has two reasons"
    assert not table.keys() & reasons, "no pair has both a rule and a reason to be ignored"
    pairs = {(status, event) for status in statuses for event in events}
    assert pairs == table.keys() | reasons, "every pair of status and event has a rule or a reason"
    return table
