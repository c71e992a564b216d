"""Putting the clocks of several hosts right, by the epochs of one group.

Hosts' clocks disagree, sometimes by hours. All sources of a group see the same epochs, though: a member that joins
at an epoch, a member that gets its assignment of an epoch, and the epoch itself (KIP-848, "Group epoch").
Such a *sight* has a key, and two sources that have the same key saw the same thing, the second one a little later.

The reference is the source nearest to where epochs are made: a coordinator, else the records it wrote, else a member.
A source's error is the least difference to the reference over all keys they share. The least, because whatever delays a
sight only adds to it. A source without a shared key is compared by the first sight of each epoch. An error below
``TOLERANCE_MS`` is left alone: a slow callback may look like one.

Coordinators that took turns share a log, the partition that is in their names. They never see the same thing: what one
of them tells of an epoch happened after what the other one told of it. So they are compared with others only, and by
epochs that began after they took over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from attrs import frozen

from kafka_nextgen.history.events import BEGINS_IN_THE_MIDDLE, Event, Kind, SourceKind, source_kind

__all__ = ["TOLERANCE_MS", "Sight", "clock_offsets", "sight_of"]

#: Clocks that differ by less (milliseconds) count as right.
TOLERANCE_MS = 10_000

_SIGHTS = frozenset({Kind.JOINED, Kind.ASSIGNED, Kind.GROUP_EPOCH})
_NEARNESS = (SourceKind.COORDINATOR, SourceKind.OFFSETS_TOPIC, SourceKind.CONSUMER, SourceKind.POLLER)

_Key: TypeAlias = tuple[str, str | None, int]
_FirstSights: TypeAlias = dict[_Key, int]


@frozen
class Sight:
    """One source saw ``member`` (None: the group) come to ``epoch`` at this time (ms, by its clock)."""

    source: str
    kind: Kind
    member: str | None
    epoch: int
    at: int


def sight_of(event: Event) -> Sight | None:
    """What the event says of an epoch, if it says anything that other sources see as well."""
    if event.kind not in _SIGHTS or event.epoch is None or event.cause == BEGINS_IN_THE_MIDDLE:
        return None
    return Sight(event.source, event.kind, event.member, event.epoch, event.at)


def clock_offsets(sights: Iterable[Sight]) -> dict[str, int]:
    """What to add to the times of each source (ms) so that they agree; 0 for those that are right or can't be compared.

    ``sights`` are all those of one group of one cluster.
    """
    seen = _without_taken_over(_first_sights(sights))
    waiting = sorted(seen, key=lambda source: (_NEARNESS.index(source_kind(source)), -len(seen[source]), source))
    known: dict[str | None, _FirstSights] = {_log_of(source): {} for source in seen}  # by those who may be compared
    offsets: dict[str, int] = {}
    while waiting:
        source = next((each for each in waiting if not known[_log_of(each)].keys().isdisjoint(seen[each])), waiting[0])
        waiting.remove(source)
        offsets[source] = offset = -_error(seen[source], known[_log_of(source)])
        for log, sights_of_others in known.items():
            if log is None or log != _log_of(source):
                _take_in(sights_of_others, seen[source], offset)
    return offsets


def _without_taken_over(seen: dict[str, _FirstSights]) -> dict[str, _FirstSights]:
    """Without the first epoch of each coordinator, where there are several: it may have begun under another one."""
    turns: Counter[str | None] = Counter(log for source in seen if (log := _log_of(source)) is not None)
    return {source: _without_first(own) if turns[_log_of(source)] > 1 else own for source, own in seen.items()}


def _without_first(seen: _FirstSights) -> _FirstSights:
    first = min(epoch for _, _, epoch in seen)
    return {key: at for key, at in seen.items() if key[2] != first}


def _log_of(source: str) -> str | None:
    """The partition that a coordinator writes; None for others."""
    return source.rpartition("/")[2] if source_kind(source) is SourceKind.COORDINATOR else None


def _take_in(known: _FirstSights, seen: _FirstSights, offset: int) -> None:
    for key, at in seen.items():
        known[key] = min(at + offset, known.get(key, at + offset))


def _first_sights(sights: Iterable[Sight]) -> dict[str, _FirstSights]:
    seen: dict[str, _FirstSights] = {}
    for sight in sights:
        of_source = seen.setdefault(sight.source, {})
        key = (sight.kind.value, None if sight.kind is Kind.GROUP_EPOCH else sight.member, sight.epoch)
        of_source[key] = min(sight.at, of_source.get(key, sight.at))
    return seen


def _error(seen: _FirstSights, known: _FirstSights) -> int:
    """How far the clock behind ``seen`` is ahead of those behind ``known``."""
    differences = _differences(seen, known) or _differences(_by_epoch(seen), _by_epoch(known))
    error = min(differences, default=0)
    return error if abs(error) >= TOLERANCE_MS else 0


def _differences(seen: Mapping[_Key, int], known: Mapping[_Key, int]) -> list[int]:
    return [at - known[key] for key, at in seen.items() if key in known]


def _by_epoch(sights: Mapping[_Key, int]) -> dict[_Key, int]:
    first: dict[_Key, int] = {}
    for (_, _, epoch), at in sights.items():
        key = ("", None, epoch)
        first[key] = min(at, first.get(key, at))
    return first
