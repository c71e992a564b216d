"""The facts of a log that fits into memory, group by group."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from kafka_nextgen.history.events import Event, contradiction
from kafka_nextgen.history.facts import FACTS, Fact
from kafka_nextgen.history.folding import fold
from kafka_nextgen.history.ordering import content_key, in_order
from kafka_nextgen.lazy_attrs import frozen

__all__ = [
    "Analysis",
    "FactsByKind",
    "analyze",
    "analyze_group",
    "collect_facts",
    "events_by_group",
    "fact_time",
    "facts_by_group",
    "sorted_by_time",
]


@frozen
class Analysis:
    """The facts of all groups in a log, by the names in ``FACTS``, group by group."""

    facts: Mapping[str, Sequence[Fact]]


def analyze(events: Iterable[Event], *, until: int | None = None) -> Analysis:
    """Derive all facts from these events, of any groups and sources and in any order.

    Args:
        events: The events; duplicates are ignored.
        until: Ignore events after this time (ms since the Unix epoch, by the reference's clock).
    """
    groups = events_by_group(events)
    return collect_facts(fact for key in sorted(groups) for fact in analyze_group(groups.pop(key), until))


def events_by_group(events: Iterable[Event]) -> dict[tuple[str, str], list[Event]]:
    """Group events by cluster and group, without duplicates: source and ``seq`` identify an event.

    Of two different events with the same identity, the event that sorts first is kept, and an ``error`` event with the
    cause ``CONTRADICTION`` is added.
    """
    groups: dict[tuple[str, str], dict[tuple[str, int], Event]] = {}
    doubts: dict[tuple[str, str], dict[tuple[str, int], None]] = {}
    for event in events:
        group, identity = (event.cluster, event.group), (event.source, event.seq)
        own = groups.setdefault(group, {})
        other = own.setdefault(identity, event)
        if other is not event and other != event:
            own[identity] = min(other, event, key=content_key)
            doubts.setdefault(group, {})[identity] = None
    return {
        group: [*(contradiction(own[each]) for each in doubts.get(group, ())), *own.values()]
        for group, own in groups.items()
    }


def collect_facts(facts: Iterable[Fact]) -> Analysis:
    """Sort facts by kind into an ``Analysis``."""
    answers: dict[str, list[Fact]] = {name: [] for name in FACTS}
    by_class = {of: answers[name] for name, of in FACTS.items()}
    for fact in facts:
        by_class[type(fact)].append(fact)
    return Analysis(answers)


def analyze_group(events: Iterable[Event], until: int | None = None) -> Iterator[Fact]:
    """Yield the facts of one group from its events in any order, without duplicates."""
    ordered, marks = in_order(list(events))
    return fold((event for event in ordered if until is None or event.at <= until), marks)


#: The facts of one group by the names in ``FACTS``.
FactsByKind: TypeAlias = dict[str, list[Fact]]


def facts_by_group(answers: Analysis) -> dict[tuple[str, str], FactsByKind]:
    """Group the facts of all kinds by cluster and group, in one pass."""
    found: dict[tuple[str, str], FactsByKind] = {}
    for name in FACTS:
        for fact in answers.facts.get(name, ()):
            own = found.get((fact.cluster, fact.group))
            if own is None:
                own = found[fact.cluster, fact.group] = {each: [] for each in FACTS}
            own[name].append(fact)
    return found


def fact_time(fact: Fact) -> int:
    """Return the time when the fact began or happened (ms since the Unix epoch); 0 if unknown."""
    for name in ("began", "at", "since", "first"):
        if hasattr(fact, name):
            return getattr(fact, name) or 0
    return 0


def sorted_by_time(facts: Iterable[Fact]) -> list[Fact]:
    """Sort facts by time. They are emitted in a different order, by the time at which they ended."""
    return sorted(facts, key=fact_time)
