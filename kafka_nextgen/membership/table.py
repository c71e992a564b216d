"""Rule tables, of which the client's machines are made, and the check that a table is complete."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from enum import Enum
from typing import Any, Generic, TypeVar

from attrs import frozen

__all__ = ["IgnoredIn", "RowOf", "ignored", "row", "whole_table"]

S = TypeVar("S", bound=Enum)  # a status
R = TypeVar("R")  # a rule
X = TypeVar("X")  # a machine's state
E = TypeVar("E")  # an event
M = TypeVar("M")  # the moment
Y = TypeVar("Y")  # the result of a rule


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


def ignored(event: type, reason: str, *statuses: S) -> IgnoredIn[S]:
    """Say why an event has no rule in these statuses."""
    return IgnoredIn(event, frozenset(statuses), reason)


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
