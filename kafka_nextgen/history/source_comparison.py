"""Compare what several sources of one run report.

The events of each kind of source are analyzed separately: which members joined and left, which epochs each reached,
and who owned each partition. Then each kind is compared with the most direct one. Some differences are expected: a
poller misses what happens between two polls, and no source reports an epoch that a member skipped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kafka_nextgen.history.analysis import analyze_group
from kafka_nextgen.history.events import Event, EventKind, PartitionKey, SourceKind, source_kind
from kafka_nextgen.history.facts import MemberSummary, Tenure
from kafka_nextgen.history.ordering import SOURCES_BY_TRUST
from kafka_nextgen.lazy_attrs import frozen

__all__ = ["Difference", "SourceView", "differences", "source_views"]


@frozen
class SourceView:
    """What one kind of source reports about a group.

    ``members`` counts how often each member joined and left. ``epochs`` lists the epochs that each reached. ``owners``
    lists the successive owners of each partition.
    """

    members: Mapping[str, tuple[int, int]]
    epochs: Mapping[str, frozenset[int]]
    owners: Mapping[PartitionKey, tuple[str, ...]]


@frozen
class Difference:
    """A difference: a source reports ``told``, the most direct source ``expected``."""

    source: SourceKind
    about: str
    told: str
    expected: str


def source_views(events: Iterable[Event]) -> dict[SourceKind, SourceView]:
    """Analyze one group separately for each kind of source, the most direct one first."""
    by_kind: dict[SourceKind, list[Event]] = {}
    for event in events:
        by_kind.setdefault(source_kind(event.source), []).append(event)
    return {kind: _source_view(by_kind[kind]) for kind in SOURCES_BY_TRUST if kind in by_kind}


def _source_view(events: Sequence[Event]) -> SourceView:
    members: dict[str, tuple[int, int]] = {}
    owners: dict[PartitionKey, list[str]] = {}
    facts = list(analyze_group(events))
    for fact in facts:
        if isinstance(fact, MemberSummary) and (fact.joined or fact.left or fact.fenced):
            members[fact.member] = (fact.joined, fact.left + fact.fenced)
    tenures = [fact for fact in facts if isinstance(fact, Tenure)]
    for tenure in sorted(tenures, key=lambda each: each.began):
        of_partition = owners.setdefault((tenure.topic, tenure.partition), [])
        if of_partition[-1:] != [tenure.member]:  # an eager member revokes partitions that it gets again afterwards
            of_partition.append(tenure.member)
    return SourceView(members, _epochs(events), {partition: tuple(each) for partition, each in owners.items()})


def _epochs(events: Iterable[Event]) -> dict[str, frozenset[int]]:
    epochs: dict[str, set[int]] = {}
    for event in events:
        if event.kind is EventKind.ASSIGNED and event.member is not None and event.epoch is not None:
            epochs.setdefault(event.member, set()).add(event.epoch)
    return {member: frozenset(each) for member, each in epochs.items()}


def differences(told: Mapping[SourceKind, SourceView], names: Mapping[str, str] | None = None) -> list[Difference]:
    """Compare each view with the first one; ``names`` has display names of members by id."""
    (_, first), *others = told.items() if told else [(SourceKind.CONSUMER, SourceView({}, {}, {}))]
    return [difference for kind, view in others for difference in _compare(kind, view, first, names or {})]


def _compare(kind: SourceKind, view: SourceView, first: SourceView, names: Mapping[str, str]) -> Iterable[Difference]:
    for member in sorted({*view.members, *first.members}, key=lambda each: names.get(each, each)):
        about = f"member {names.get(member, member)}: times joined and left"
        yield from _compare_values(kind, about, *(each.members.get(member, ()) for each in (view, first)))
    for member in sorted({*view.epochs, *first.epochs}, key=lambda each: names.get(each, each)):
        about = f"member {names.get(member, member)}: epochs"
        yield from _compare_values(kind, about, *(sorted(each.epochs.get(member, ())) for each in (view, first)))
    for partition in sorted({*view.owners, *first.owners}):
        owners = ([names.get(each, each) for each in told.owners.get(partition, ())] for told in (view, first))
        yield from _compare_values(kind, f"{partition[0]}[{partition[1]}]: owners", *owners)


def _compare_values(
    kind: SourceKind, about: str, told: Sequence[object], expected: Sequence[object]
) -> Iterable[Difference]:
    if told != expected:
        yield Difference(kind, about, _text(told), _text(expected))


def _text(told: Sequence[object]) -> str:
    return ", ".join(map(str, told)) or "nothing"
