"""Put the events of one group into one order: align clocks, choose between sources, sort.

Most events may be reported by several sources without harm: a partition that is revoked twice counts as revoked the
first time, and a member that joins again while it is in the group stays in it. Two kinds are different:

- ``assigned``: a coordinator grants an assignment before the member can read. The member's own event has the true
  time, so it replaces the others of its epoch.
- ``group epoch`` and ``target``: the coordinator knows the cause, its records contain part of it, and a poller sees
  the epoch late.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from attrs import evolve, fields

from kafka_nextgen.history.clock_alignment import clock_offsets, observation_of
from kafka_nextgen.history.events import MEMBERSHIP_KINDS, Event, EventKind, SourceKind, source_kind
from kafka_nextgen.history.facts import CLOCKS_DISAGREE, CLUSTER_UNKNOWN, MEMBERS_ALONE

__all__ = [
    "SINGLE_SOURCE_KINDS",
    "SOURCES_BY_TRUST",
    "content_key",
    "group_marks",
    "in_order",
    "only_members_reported",
    "sort_key",
]

#: The source kinds, the most precise first.
SOURCES_BY_TRUST = (SourceKind.CONSUMER, SourceKind.COORDINATOR, SourceKind.OFFSETS_TOPIC, SourceKind.POLLER)
#: Kinds of events that are taken only from the best source.
SINGLE_SOURCE_KINDS = frozenset({EventKind.ASSIGNED, EventKind.GROUP_EPOCH, EventKind.TARGET})
_NAMES = tuple(each.name for each in fields(Event))


def _selection_key(event: Event) -> tuple[str, str | None, int] | None:
    """Return the key under which only the events of the best source are kept; None if the event is always kept."""
    if event.kind not in SINGLE_SOURCE_KINDS or event.epoch is None:
        return None
    return (event.kind.value, None if event.kind is EventKind.GROUP_EPOCH else event.member, event.epoch)


def _source_rank(event: Event) -> int:
    """Return the rank of the event's source; 0 is the best."""
    return SOURCES_BY_TRUST.index(source_kind(event.source))


def sort_key(event: Event) -> tuple[int, int, str, int]:
    """Return the sort key of a group's events with aligned clocks.

    Within a millisecond members come first, because a coordinator reacts to them. The events of one source keep their
    order.
    """
    return (event.at, _source_rank(event), event.source, event.seq)


def content_key(event: Event) -> tuple[tuple[bool, object], ...]:
    """Return a sort key of all fields, in their order; None sorts first."""
    values = (getattr(event, name) for name in _NAMES)
    return tuple((value is not None, value.value if isinstance(value, EventKind) else value) for value in values)


def in_order(events: Sequence[Event]) -> tuple[list[Event], set[str]]:
    """Align, select and sort the events of one group for ``fold``; return them and their marks."""
    offsets = clock_offsets(sight for event in events if (sight := observation_of(event)) is not None)
    marks = group_marks(
        events[0].cluster if events else None,
        clocks_disagree=any(offsets.values()),
        members_alone=only_members_reported(event.source for event in events if event.kind in MEMBERSHIP_KINDS),
    )
    return sorted(_selected(_aligned(event, offsets) for event in events), key=sort_key), marks


def group_marks(cluster: str | None, *, clocks_disagree: bool, members_alone: bool) -> set[str]:
    """Return the marks that hold for all facts of a group. ``cluster`` is empty if it is unknown."""
    is_set = {CLOCKS_DISAGREE: clocks_disagree, CLUSTER_UNKNOWN: cluster == "", MEMBERS_ALONE: members_alone}
    return {mark for mark, applies in is_set.items() if applies}


def only_members_reported(sources: Iterable[str]) -> bool:
    """Return whether only members reported who was in the group: members without a log are then missing.

    ``sources`` are the sources of its events of ``MEMBERSHIP_KINDS``.
    """
    return set(map(source_kind, sources)) == {SourceKind.CONSUMER}


def _aligned(event: Event, offsets: Mapping[str, int]) -> Event:
    offset = offsets.get(event.source, 0)
    return evolve(event, at=event.at + offset) if offset else event


def _selected(events: Iterable[Event]) -> list[Event]:
    every = list(events)
    best: dict[tuple[str, str | None, int], int] = {}
    for event in every:
        key = _selection_key(event)
        if key is not None:
            best[key] = min(_source_rank(event), best.get(key, _source_rank(event)))
    return [event for event in every if (key := _selection_key(event)) is None or best[key] == _source_rank(event)]
