"""Putting the clocks of several hosts right, by the epochs of one group.

Hosts' clocks disagree, sometimes by hours. All sources of a group see the same epochs, though: a member that joins
at an epoch, a member that gets its assignment of an epoch, and the epoch itself (KIP-848, "Group epoch").
Such a *sight* has a key, and two sources that have the same key saw the same thing, the second one a little later.

The reference is the source nearest to where epochs are made: a coordinator, else the records it wrote, else a member.
A source's error is the least difference to the reference over all keys they share. The least, because whatever delays a
sight only adds to it. An error below ``TOLERANCE_MS`` is left alone: a slow callback may look like one.

A source without a shared key is compared by the first sight of each epoch. Two members come to an epoch at times of
their own, so the least difference says something of their clocks only if it is one of many. By less than
``MANY_EPOCHS``, only an error that no member's delay explains (``LATEST_ARRIVAL_MS``) is put right.

Coordinators that took turns share a log, the partition that is in their names. They never see the same thing: what one
of them tells of an epoch happened after what the other one told of it. So they are compared with others only, and by
epochs that began after they took over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from typing import TypeAlias

from attrs import frozen

from kafka_nextgen.history.events import BEGINS_IN_THE_MIDDLE, Event, Kind, SourceKind, source_kind

__all__ = ["LATEST_ARRIVAL_MS", "MANY_EPOCHS", "SIGHTS", "TOLERANCE_MS", "Sight", "clock_offsets", "sight_of"]

#: Clocks that differ by less (milliseconds) count as right.
TOLERANCE_MS = 10_000
#: A member comes to an epoch within its rebalance timeout, 5 minutes by default, or is put out. This is twice as long.
LATEST_ARRIVAL_MS = 600_000
#: The least of so many differences is taken for the error of a clock.
MANY_EPOCHS = 10

#: Kinds of event that say who came to which epoch.
SIGHTS = frozenset({Kind.JOINED, Kind.ASSIGNED, Kind.GROUP_EPOCH})
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
    if event.kind not in SIGHTS or event.epoch is None or event.cause == BEGINS_IN_THE_MIDDLE:
        return None
    return Sight(event.source, event.kind, event.member, event.epoch, event.at)


def clock_offsets(sights: Iterable[Sight]) -> dict[str, int]:
    """What to add to the times of each source (ms) so that they agree; 0 for those that are right or can't be compared.

    ``sights`` are all those of one group of one cluster.
    """
    seen = _without_taken_over(_first_sights(sights))
    order = sorted(seen, key=lambda source: (_NEARNESS.index(source_kind(source)), -len(seen[source]), source))
    known, known_by_epoch = _Known(), _Known()
    offsets: dict[str, int] = {}
    for source in _each_after_one_with_its_keys(order, seen):
        log, by_epoch = _log_of(source), _by_epoch(seen[source])
        differences = known.differences(seen[source], log)
        offset = -(_error(differences) if differences else _error_by_epoch(known_by_epoch.differences(by_epoch, log)))
        offsets[source] = offset
        known.take_in(seen[source], offset, log)
        known_by_epoch.take_in(by_epoch, offset, log)
    return offsets


def _each_after_one_with_its_keys(order: Sequence[str], seen: Mapping[str, _FirstSights]) -> Iterator[str]:
    """All sources, in this order but for those that can't be compared with an earlier one: they wait while others can.

    Each key is looked up for two logs at most, so time grows with sights, not with pairs of sources.
    """
    having: dict[_Key, list[int]] = {}
    for place, source in enumerate(order):
        for key in seen[source]:
            having.setdefault(key, []).append(place)
    told_by: dict[_Key, str | None] = {}
    comparable: list[int] = []
    left = dict.fromkeys(range(len(order)))
    while left:
        place = heappop(comparable) if comparable else next(iter(left))
        if place not in left:
            continue
        del left[place]
        yield order[place]
        log = _log_of(order[place])
        for key in seen[order[place]]:
            if key in having and (key not in told_by or told_by[key] != log):
                for each in having[key] if log is None or key in told_by else _of_other_logs(having[key], order, log):
                    heappush(comparable, each)
                if log is None or key in told_by:
                    del having[key]
                told_by[key] = log


def _of_other_logs(places: Iterable[int], order: Sequence[str], log: str) -> list[int]:
    return [place for place in places if _log_of(order[place]) != log]


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


class _Known:
    """When each key was first seen by those that were compared already, by the reference's clock.

    Of each key the first time is kept, and the first one of another log: they do not compare with their own.
    """

    def __init__(self) -> None:
        self._first: dict[_Key, tuple[int, str | None]] = {}
        self._other: dict[_Key, int] = {}

    def take_in(self, seen: _FirstSights, offset: int, log: str | None) -> None:
        """One more source."""
        for key, its_at in seen.items():
            at = its_at + offset
            first_at, first_log = self._first.get(key, (at, log))
            if at < first_at:
                self._first[key] = (at, log)
                at, log_of_later = first_at, first_log
            else:
                self._first.setdefault(key, (at, log))
                log_of_later = log
            if log_of_later != self._first[key][1]:
                self._other[key] = min(at, self._other.get(key, at))

    def differences(self, seen: _FirstSights, log: str | None) -> list[int]:
        """How much later a source of this log saw what others saw, too."""
        times = ((at, self._of_others(key, log)) for key, at in seen.items())
        return [at - known for at, known in times if known is not None]

    def _of_others(self, key: _Key, log: str | None) -> int | None:
        at, its_log = self._first.get(key, (None, None))
        return self._other.get(key) if log is not None and its_log == log else at


def _first_sights(sights: Iterable[Sight]) -> dict[str, _FirstSights]:
    seen: dict[str, _FirstSights] = {}
    for sight in sights:
        of_source = seen.setdefault(sight.source, {})
        key = (sight.kind.value, None if sight.kind is Kind.GROUP_EPOCH else sight.member, sight.epoch)
        of_source[key] = min(sight.at, of_source.get(key, sight.at))
    return seen


def _error(differences: Sequence[int], tolerance_ms: int = TOLERANCE_MS) -> int:
    """How far a clock is ahead of the others."""
    error = min(differences, default=0)
    return error if abs(error) >= tolerance_ms else 0


def _error_by_epoch(differences: Sequence[int]) -> int:
    return _error(differences, TOLERANCE_MS if len(differences) >= MANY_EPOCHS else LATEST_ARRIVAL_MS)


def _by_epoch(sights: Mapping[_Key, int]) -> dict[_Key, int]:
    first: dict[_Key, int] = {}
    for (_, _, epoch), at in sights.items():
        key = ("", None, epoch)
        first[key] = min(at, first.get(key, at))
    return first
