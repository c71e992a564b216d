"""Filters of a batch query that make it read less: on ``topic``, ``partition``, ``offset`` and ``timestamp``.

All other filters are ignored, because Spark applies them anyway. So are filters

- with a value of another type than the column's; a timestamp needs a time zone, and is rounded down to milliseconds;
- for a time before 1970: brokers don't look up such times, and records without a timestamp have one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime, timedelta, timezone

from attrs import evolve
from pyspark.sql.datasource import EqualTo, Filter, GreaterThan, GreaterThanOrEqual, In, LessThan, LessThanOrEqual

from kafka_nextgen.spark.batch_planner import NO_END, Bounds

__all__ = ["bounds_of"]

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MILLISECOND = timedelta(milliseconds=1)


def bounds_of(filters: Iterable[Filter]) -> Bounds:
    """Return what is left when all these filters apply."""
    bounds = Bounds()
    for each in filters:
        attribute: tuple[str, ...] = getattr(each, "attribute", ())
        narrow = _COLUMNS.get(attribute[0]) if len(attribute) == 1 else None
        bounds = bounds if narrow is None else narrow(bounds, each)
    return bounds


def _topic(bounds: Bounds, each: Filter) -> Bounds:
    return evolve(bounds, topics=_both(bounds.topics, _values(each, str)))


def _partition(bounds: Bounds, each: Filter) -> Bounds:
    return evolve(bounds, partitions=_both(bounds.partitions, _values(each, int)))


def _offset(bounds: Bounds, each: Filter) -> Bounds:
    value = getattr(each, "value", None)
    if type(value) is not int:
        return bounds
    at_least = {EqualTo: value, GreaterThanOrEqual: value, GreaterThan: value + 1}.get(type(each), 0)
    before = {EqualTo: value + 1, LessThanOrEqual: value + 1, LessThan: value}.get(type(each), NO_END)
    return evolve(bounds, start=max(bounds.start, at_least), end=min(bounds.end, before))


def _timestamp(bounds: Bounds, each: Filter) -> Bounds:
    value = getattr(each, "value", None)
    if not isinstance(each, EqualTo | GreaterThan | GreaterThanOrEqual) or not isinstance(value, datetime):
        return bounds
    if value.tzinfo is None or value < _EPOCH:
        return bounds
    return evolve(bounds, from_timestamp_ms=max((value - _EPOCH) // _MILLISECOND, bounds.from_timestamp_ms or 0))


_COLUMNS: Mapping[str, Callable[[Bounds, Filter], Bounds]] = {
    "topic": _topic,
    "partition": _partition,
    "offset": _offset,
    "timestamp": _timestamp,
}


def _values(each: Filter, kind: type) -> Collection[object] | None:
    """The values that pass, maybe with None, which nothing equals; None if other values may pass too."""
    if not isinstance(each, EqualTo | In):
        return None
    values = each.value if isinstance(each, In) else (each.value,)
    return values if all(value is None or type(value) is kind for value in values) else None


def _both(known: frozenset[object] | None, values: Collection[object] | None) -> frozenset[object] | None:
    if values is None:
        return known
    return frozenset(values) if known is None else known & frozenset(values)
