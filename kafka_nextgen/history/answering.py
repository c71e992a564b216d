"""All answers to a log that fits into memory: put clocks right, select, sort and fold, group by group."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import evolve, frozen

from kafka_nextgen.history.alignment import clock_offsets, sight_of
from kafka_nextgen.history.events import MEMBERSHIP, Event, SourceKind, contradiction, source_kind
from kafka_nextgen.history.facts import CLOCKS_DISAGREE, CLUSTER_UNKNOWN, FACTS, MEMBERS_ALONE, Fact
from kafka_nextgen.history.folding import fold
from kafka_nextgen.history.selection import content_key, rank, selection_key, sort_key

__all__ = [
    "Answers",
    "answer",
    "by_group",
    "facts_of_group",
    "gathered",
    "in_order",
    "marks_of",
    "told_by_members_alone",
]


@frozen
class Answers:
    """The facts of all groups in a log, by the names of ``FACTS``, group by group."""

    facts: Mapping[str, Sequence[Fact]]


def answer(events: Iterable[Event], *, until: int | None = None) -> Answers:
    """Ask everything of these events, of any groups and sources and in any order.

    Args:
        events: Each once or more often.
        until: Leave out what happened after it (ms since the epoch, by the reference's clock).
    """
    groups = by_group(events)
    return gathered(fact for key in sorted(groups) for fact in facts_of_group(groups.pop(key), until))


def by_group(events: Iterable[Event]) -> dict[tuple[str, str], list[Event]]:
    """The events of each cluster and group, each event once: its source and number are its identity.

    Of two different events with one identity the least is taken, whichever is read first, and an ``error`` event with
    the cause ``CONTRADICTION`` tells of it.
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


def gathered(facts: Iterable[Fact]) -> Answers:
    """These facts by their kinds."""
    answers: dict[str, list[Fact]] = {name: [] for name in FACTS}
    by_class = {of: answers[name] for name, of in FACTS.items()}
    for fact in facts:
        by_class[type(fact)].append(fact)
    return Answers(answers)


def facts_of_group(events: Iterable[Event], until: int | None = None) -> Iterator[Fact]:
    """The facts of one group of one cluster, from events in any order, each once."""
    ordered, marks = in_order(list(events))
    return fold((event for event in ordered if until is None or event.at <= until), marks)


def in_order(events: Sequence[Event]) -> tuple[list[Event], set[str]]:
    """The events of one group as ``fold`` takes them, and what makes them less than certain."""
    offsets = clock_offsets(sight for event in events if (sight := sight_of(event)) is not None)
    marks = marks_of(
        events[0].cluster if events else None,
        clocks_disagree=any(offsets.values()),
        members_alone=told_by_members_alone(event.source for event in events if event.kind in MEMBERSHIP),
    )
    return sorted(_selected(_aligned(event, offsets) for event in events), key=sort_key), marks


def marks_of(cluster: str | None, *, clocks_disagree: bool, members_alone: bool) -> set[str]:
    """What makes a group's facts less than certain, whatever its events are. ``cluster`` is empty if it is unknown."""
    is_set = {CLOCKS_DISAGREE: clocks_disagree, CLUSTER_UNKNOWN: cluster == "", MEMBERS_ALONE: members_alone}
    return {mark for mark, applies in is_set.items() if applies}


def told_by_members_alone(sources: Iterable[str]) -> bool:
    """Whether only members tell who was in a group. Members that keep no log, or were killed, are not told of then.

    ``sources`` are those of its events of the kinds in ``MEMBERSHIP``.
    """
    return set(map(source_kind, sources)) == {SourceKind.CONSUMER}


def _aligned(event: Event, offsets: Mapping[str, int]) -> Event:
    offset = offsets.get(event.source, 0)
    return evolve(event, at=event.at + offset) if offset else event


def _selected(events: Iterable[Event]) -> list[Event]:
    every = list(events)
    best: dict[tuple[str, str | None, int], int] = {}
    for event in every:
        key = selection_key(event)
        if key is not None:
            best[key] = min(rank(event), best.get(key, rank(event)))
    return [event for event in every if (key := selection_key(event)) is None or best[key] == rank(event)]
