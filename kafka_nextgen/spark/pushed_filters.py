"""Filters of a batch query that make it read less: on ``topic``, ``partition``, ``offset`` and ``timestamp``.

They only narrow ranges: Spark applies all filters to what is read. A filter on ``timestamp`` narrows the start: the
broker finds the first record that is not older. It does not narrow the end, for later records may be older.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime, timezone
from typing import TypeAlias

from attrs import evolve, frozen
from pyspark.sql.datasource import EqualTo, Filter, GreaterThan, GreaterThanOrEqual, In, LessThan, LessThanOrEqual

from kafka_nextgen.spark.values import PartitionOffsets
from kafka_nextgen.types import TopicPartition

__all__ = ["Bounds", "bounds_of", "narrowed"]

#: Finds the first offsets that are not older than timestamps in milliseconds; None where there is none.
FindByTime: TypeAlias = Callable[[Mapping[TopicPartition, int]], Mapping[TopicPartition, int | None]]

_GREATEST = 2**63 - 1


@frozen
class Bounds:
    """What filters leave: topics and partitions (None for all), offsets from ``start`` up to before ``end``."""

    topics: frozenset[object] | None = None
    partitions: frozenset[object] | None = None
    start: int = 0
    end: int = _GREATEST
    from_timestamp_ms: int | None = None

    def has(self, tp: TopicPartition) -> bool:
        """Whether records of this partition can pass."""
        in_topics = self.topics is None or tp.topic in self.topics
        return in_topics and (self.partitions is None or tp.partition in self.partitions)


def bounds_of(filters: Iterable[Filter]) -> Bounds:
    """What filters leave, all of which apply. Those that narrow nothing are passed over."""
    bounds = Bounds()
    for each in filters:
        attribute: tuple[str, ...] = getattr(each, "attribute", ())
        narrow = _COLUMNS.get(attribute[0]) if len(attribute) == 1 else None
        bounds = bounds if narrow is None else narrow(bounds, each)
    return bounds


def narrowed(
    start: PartitionOffsets, end: PartitionOffsets, bounds: Bounds, find_by_time: FindByTime
) -> tuple[PartitionOffsets, PartitionOffsets]:
    """The starts and ends of the partitions that are left; a partition with nothing left starts at its end."""
    kept = [tp for tp in start if bounds.has(tp)]
    starts = {tp: max(start[tp], bounds.start) for tp in kept}
    if bounds.from_timestamp_ms is not None:
        found = find_by_time(dict.fromkeys(kept, bounds.from_timestamp_ms))
        starts = {tp: end[tp] if (at := found[tp]) is None else max(starts[tp], at) for tp in kept}
    ends = {tp: max(min(end[tp], bounds.end), start[tp]) for tp in kept}
    return {tp: min(starts[tp], ends[tp]) for tp in kept}, ends


def _topic(bounds: Bounds, each: Filter) -> Bounds:
    return evolve(bounds, topics=_both(bounds.topics, _values(each)))


def _partition(bounds: Bounds, each: Filter) -> Bounds:
    return evolve(bounds, partitions=_both(bounds.partitions, _values(each)))


def _offset(bounds: Bounds, each: Filter) -> Bounds:
    value = getattr(each, "value", None)
    if not isinstance(value, int):
        return bounds
    at_least = {EqualTo: value, GreaterThanOrEqual: value, GreaterThan: value + 1}.get(type(each), 0)
    before = {EqualTo: value + 1, LessThanOrEqual: value + 1, LessThan: value}.get(type(each), _GREATEST)
    return evolve(bounds, start=max(bounds.start, at_least), end=min(bounds.end, before))


def _timestamp(bounds: Bounds, each: Filter) -> Bounds:
    value = getattr(each, "value", None)
    if not isinstance(each, EqualTo | GreaterThan | GreaterThanOrEqual) or not isinstance(value, datetime):
        return bounds
    at = max(int(value.astimezone(timezone.utc).timestamp() * 1000), 0)
    return evolve(bounds, from_timestamp_ms=max(at, bounds.from_timestamp_ms or 0))


_COLUMNS: Mapping[str, Callable[[Bounds, Filter], Bounds]] = {
    "topic": _topic,
    "partition": _partition,
    "offset": _offset,
    "timestamp": _timestamp,
}


def _values(each: Filter) -> Collection[object] | None:
    if isinstance(each, EqualTo):
        return (each.value,)
    return each.value if isinstance(each, In) else None


def _both(known: frozenset[object] | None, values: Collection[object] | None) -> frozenset[object] | None:
    if values is None:
        return known
    return frozenset(values) if known is None else known & frozenset(values)
