"""Align the clocks of several hosts, using the epochs of one group.

Hosts' clocks disagree, sometimes by hours. But all sources of a group see the same epochs: a member joins at an epoch,
a member gets its assignment for an epoch, and the group reaches an epoch (KIP-848, "Group epoch"). Each such
*observation* has a key. Two sources with the same key observed the same change, one slightly later than the other.

The reference is the source nearest to where epochs are created: a coordinator; without one, the records it wrote, or a
member. The error of a source is the smallest difference from the reference over all shared keys, because delays only
add to a difference. Errors below ``_TOLERANCE_MS`` are ignored: a slow callback can look like one.

A source without a shared key is compared by the first observation of each epoch. Two members reach an epoch at
different times, so the least difference is significant only if there are many. With fewer than ``_MIN_SHARED_EPOCHS``,
only errors that no member's delay explains (``_MAX_ARRIVAL_MS``) are corrected.

Coordinators that took over from each other share a log: their names contain the same partition. They never observe the
same change: all epochs of the later one happened after the epochs of the earlier one. So coordinators are compared only
with other sources, and only by epochs that began after they took over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from typing import TypeAlias

from kafka_nextgen.history.events import BEGINS_IN_THE_MIDDLE, Event, EventKind, SourceKind, source_kind
from kafka_nextgen.lazy_attrs import frozen

__all__ = ["OBSERVATION_KINDS", "EpochObservation", "clock_offsets", "observation_of"]

#: Smaller differences between clocks are ignored.
_TOLERANCE_MS = 10_000
#: Twice the default rebalance timeout: by then a member has reached an epoch or was fenced.
_MAX_ARRIVAL_MS = 600_000
#: If there are at least this many differences, the smallest one counts as the clock's error.
_MIN_SHARED_EPOCHS = 10

#: Kinds of events that show which member reached which epoch.
OBSERVATION_KINDS = frozenset({EventKind.JOINED, EventKind.ASSIGNED, EventKind.GROUP_EPOCH})
_REFERENCE_ORDER = (SourceKind.COORDINATOR, SourceKind.OFFSETS_TOPIC, SourceKind.CONSUMER, SourceKind.POLLER)

_Key: TypeAlias = tuple[str, str | None, int]
_FirstSights: TypeAlias = dict[_Key, int]


@frozen
class EpochObservation:
    """A source saw ``member`` (None: the group) reach ``epoch`` at ``at`` (ms by its own clock)."""

    source: str
    kind: EventKind
    member: str | None
    epoch: int
    at: int


def observation_of(event: Event) -> EpochObservation | None:
    """Return the epoch observation in this event, or None if it has none that other sources share."""
    if event.kind not in OBSERVATION_KINDS or event.epoch is None or event.cause == BEGINS_IN_THE_MIDDLE:
        return None
    return EpochObservation(event.source, event.kind, event.member, event.epoch, event.at)


def clock_offsets(observations: Iterable[EpochObservation]) -> dict[str, int]:
    """Return the correction for the times of each source (ms); 0 if its clock is right or can't be compared.

    ``observations`` are all those of one group of one cluster.
    """
    seen = _without_handover_epochs(_first_sights(observations))
    order = sorted(seen, key=lambda source: (_REFERENCE_ORDER.index(source_kind(source)), -len(seen[source]), source))
    known, known_by_epoch = _FirstSeen(), _FirstSeen()
    offsets: dict[str, int] = {}
    for source in _comparable_first(order, seen):
        log, by_epoch = _log_of(source), _first_by_epoch(seen[source])
        differences = known.differences(seen[source], log)
        offset = -(
            _clock_error(differences)
            if differences
            else _clock_error_by_epoch(known_by_epoch.differences(by_epoch, log))
        )
        offsets[source] = offset
        known.add(seen[source], offset, log)
        known_by_epoch.add(by_epoch, offset, log)
    return offsets


def _comparable_first(order: Sequence[str], seen: Mapping[str, _FirstSights]) -> Iterator[str]:
    """Yield all sources in order, but delay those that share no key with an earlier one while others do.

    Each key is looked up for two logs at most, so the time grows with observations, not with pairs of sources.
    """
    having: dict[_Key, list[int]] = {}
    for place, source in enumerate(order):
        for key in seen[source]:
            having.setdefault(key, []).append(place)
    seen_in: dict[_Key, str | None] = {}
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
            if key in having and (key not in seen_in or seen_in[key] != log):
                for each in having[key] if log is None or key in seen_in else _of_other_logs(having[key], order, log):
                    heappush(comparable, each)
                if log is None or key in seen_in:
                    del having[key]
                seen_in[key] = log


def _of_other_logs(places: Iterable[int], order: Sequence[str], log: str) -> list[int]:
    return [place for place in places if _log_of(order[place]) != log]


def _without_handover_epochs(seen: dict[str, _FirstSights]) -> dict[str, _FirstSights]:
    """Drop the first epoch of each of several coordinators: it may have begun under another one."""
    coordinators: Counter[str | None] = Counter(log for source in seen if (log := _log_of(source)) is not None)
    return {
        source: _without_first_epoch(own) if coordinators[_log_of(source)] > 1 else own for source, own in seen.items()
    }


def _without_first_epoch(seen: _FirstSights) -> _FirstSights:
    first = min(epoch for _, _, epoch in seen)
    return {key: at for key, at in seen.items() if key[2] != first}


def _log_of(source: str) -> str | None:
    """Return the ``__consumer_offsets`` partition in a coordinator's name; None for other sources."""
    return source.rpartition("/")[2] if source_kind(source) is SourceKind.COORDINATOR else None


class _FirstSeen:
    """When the sources compared so far first saw each key, by the reference's clock.

    Keeps the first time of each key, and the first time in another log: coordinators do not compare within a log.
    """

    def __init__(self) -> None:
        self._first: dict[_Key, tuple[int, str | None]] = {}
        self._other: dict[_Key, int] = {}

    def add(self, seen: _FirstSights, offset: int, log: str | None) -> None:
        """Add the observations of one source."""
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
        """Return how much later a source with this log saw each key that others also saw."""
        times = ((at, self._of_others(key, log)) for key, at in seen.items())
        return [at - known for at, known in times if known is not None]

    def _of_others(self, key: _Key, log: str | None) -> int | None:
        at, its_log = self._first.get(key, (None, None))
        return self._other.get(key) if log is not None and its_log == log else at


def _first_sights(observations: Iterable[EpochObservation]) -> dict[str, _FirstSights]:
    seen: dict[str, _FirstSights] = {}
    for observation in observations:
        of_source = seen.setdefault(observation.source, {})
        key = (
            observation.kind.value,
            None if observation.kind is EventKind.GROUP_EPOCH else observation.member,
            observation.epoch,
        )
        of_source[key] = min(observation.at, of_source.get(key, observation.at))
    return seen


def _clock_error(differences: Sequence[int], tolerance_ms: int = _TOLERANCE_MS) -> int:
    """Return how far a clock is ahead, or 0 within the tolerance."""
    error = min(differences, default=0)
    return error if abs(error) >= tolerance_ms else 0


def _clock_error_by_epoch(differences: Sequence[int]) -> int:
    return _clock_error(differences, _TOLERANCE_MS if len(differences) >= _MIN_SHARED_EPOCHS else _MAX_ARRIVAL_MS)


def _first_by_epoch(observations: Mapping[_Key, int]) -> dict[_Key, int]:
    first: dict[_Key, int] = {}
    for (_, _, epoch), at in observations.items():
        key = ("", None, epoch)
        first[key] = min(at, first.get(key, at))
    return first
