"""Facts in order of time: they come to be known when they are over, which is another order."""

from __future__ import annotations

from collections.abc import Iterable

from kafka_nextgen.history.facts import Fact

__all__ = ["in_time", "time_of"]


def time_of(fact: Fact) -> int:
    """When it began or was (ms since the epoch); 0 if that is not known."""
    for name in ("began", "at", "since", "first"):
        if hasattr(fact, name):
            return getattr(fact, name) or 0
    return 0


def in_time(facts: Iterable[Fact]) -> list[Fact]:
    """These facts in order of time."""
    return sorted(facts, key=time_of)
