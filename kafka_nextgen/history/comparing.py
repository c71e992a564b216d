"""Do several sources of one run tell the same story?

Each kind of source is asked alone: which members came and went, to which epochs each of them came, and who had each
partition, one after the other. Then every kind is compared with the one that is nearest to what happened. A poller does
not see what happens between two looks, and an epoch that a member skipped is told by none: that is what differences are
for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from attrs import frozen

from kafka_nextgen.history.answering import facts_of_group
from kafka_nextgen.history.events import Event, Kind, SourceKind, source_kind
from kafka_nextgen.history.facts import MemberSummary, Tenure
from kafka_nextgen.history.partitions import Place
from kafka_nextgen.history.selection import BEST_FIRST

__all__ = ["Difference", "Story", "differences", "stories"]


@frozen
class Story:
    """What one kind of source tells of a group.

    ``members`` are those it saw, and how often each joined and was out again. ``epochs`` are those each came to.
    ``owners`` are the members that had a partition, one after the other.
    """

    members: Mapping[str, tuple[int, int]]
    epochs: Mapping[str, frozenset[int]]
    owners: Mapping[Place, tuple[str, ...]]


@frozen
class Difference:
    """One thing that a kind of source tells differently: ``told`` by it, ``expected`` by the nearest one."""

    source: SourceKind
    about: str
    told: str
    expected: str


def stories(events: Iterable[Event]) -> dict[SourceKind, Story]:
    """What each kind of source tells of one group of one cluster, the nearest first."""
    by_kind: dict[SourceKind, list[Event]] = {}
    for event in events:
        by_kind.setdefault(source_kind(event.source), []).append(event)
    return {kind: _story(by_kind[kind]) for kind in BEST_FIRST if kind in by_kind}


def _story(events: Sequence[Event]) -> Story:
    members: dict[str, tuple[int, int]] = {}
    owners: dict[Place, list[str]] = {}
    facts = list(facts_of_group(events))
    for fact in facts:
        if isinstance(fact, MemberSummary) and (fact.joined or fact.left or fact.fenced):
            members[fact.member] = (fact.joined, fact.left + fact.fenced)
    tenures = [fact for fact in facts if isinstance(fact, Tenure)]
    for tenure in sorted(tenures, key=lambda each: each.began):
        of_partition = owners.setdefault((tenure.topic, tenure.partition), [])
        if of_partition[-1:] != [tenure.member]:  # an eager member gives up what it gets again
            of_partition.append(tenure.member)
    return Story(members, _epochs(events), {place: tuple(each) for place, each in owners.items()})


def _epochs(events: Iterable[Event]) -> dict[str, frozenset[int]]:
    epochs: dict[str, set[int]] = {}
    for event in events:
        if event.kind is Kind.ASSIGNED and event.member is not None and event.epoch is not None:
            epochs.setdefault(event.member, set()).add(event.epoch)
    return {member: frozenset(each) for member, each in epochs.items()}


def differences(told: Mapping[SourceKind, Story], names: Mapping[str, str] | None = None) -> list[Difference]:
    """What the other kinds tell differently from the first one; members are called by ``names``, else by their ids."""
    (_, first), *others = told.items() if told else [(SourceKind.CONSUMER, Story({}, {}, {}))]
    return [difference for kind, story in others for difference in _between(kind, story, first, names or {})]


def _between(kind: SourceKind, story: Story, first: Story, names: Mapping[str, str]) -> Iterable[Difference]:
    for member in sorted({*story.members, *first.members}, key=lambda each: names.get(each, each)):
        about = f"member {names.get(member, member)}: joined, out"
        yield from _unequal(kind, about, *(each.members.get(member, ()) for each in (story, first)))
    for member in sorted({*story.epochs, *first.epochs}, key=lambda each: names.get(each, each)):
        about = f"member {names.get(member, member)}: epochs"
        yield from _unequal(kind, about, *(sorted(each.epochs.get(member, ())) for each in (story, first)))
    for place in sorted({*story.owners, *first.owners}):
        owners = ([names.get(each, each) for each in told.owners.get(place, ())] for told in (story, first))
        yield from _unequal(kind, f"{place[0]}[{place[1]}]: owners", *owners)


def _unequal(kind: SourceKind, about: str, told: Sequence[object], expected: Sequence[object]) -> Iterable[Difference]:
    if told != expected:
        yield Difference(kind, about, _text(told), _text(expected))


def _text(told: Sequence[object]) -> str:
    return ", ".join(map(str, told)) or "nothing"
