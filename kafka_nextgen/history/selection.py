"""Which of several sources is taken for what more than one of them saw.

Most events may come from several sources without harm: a partition that is given up twice is given up at the first
time, and a member that joins while it is in stays in. Two kinds are different:

- ``assigned``: a coordinator's grant comes before the member can read. The member's own event is the true time, so it
  displaces the others of its epoch.
- ``group epoch`` and ``target``: the coordinator knows the cause, its records tell part of it, a poller sees it late.

For both, the source that is nearer to what happened is the better one.
"""

from __future__ import annotations

from attrs import fields

from kafka_nextgen.history.events import Event, Kind, SourceKind, source_kind

__all__ = ["BEST_FIRST", "SELECTED", "content_key", "rank", "selection_key", "sort_key"]

#: Who knows best what it tells.
BEST_FIRST = (SourceKind.CONSUMER, SourceKind.COORDINATOR, SourceKind.OFFSETS_TOPIC, SourceKind.POLLER)
#: Kinds of event of which only the best source is taken.
SELECTED = frozenset({Kind.ASSIGNED, Kind.GROUP_EPOCH, Kind.TARGET})
_NAMES = tuple(each.name for each in fields(Event))


def selection_key(event: Event) -> tuple[str, str | None, int] | None:
    """What the event is about: of all events of one group with this key, only those of the best rank are kept.

    None if it is kept in any case.
    """
    if event.kind not in SELECTED or event.epoch is None:
        return None
    return (event.kind.value, None if event.kind is Kind.GROUP_EPOCH else event.member, event.epoch)


def rank(event: Event) -> int:
    """How well its source knows what it tells; 0 is the best."""
    return BEST_FIRST.index(source_kind(event.source))


def sort_key(event: Event) -> tuple[int, int, str, int]:
    """The order of a group's events once their clocks agree.

    Within a millisecond members come first: a coordinator acts on what they told it. The events of one
    source keep their order.
    """
    return (event.at, rank(event), event.source, event.seq)


def content_key(event: Event) -> tuple[tuple[bool, object], ...]:
    """An order of events by all that is in them, field by field; what is not set comes first."""
    values = (getattr(event, name) for name in _NAMES)
    return tuple((value is not None, value.value if isinstance(value, Kind) else value) for value in values)
