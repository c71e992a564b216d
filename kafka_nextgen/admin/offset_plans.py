"""Plan a reset of a group's offsets: compute its new positions, and change nothing.

A target is an offset, the beginning or end, a time, a duration before now, or a number of records from the committed
offset. The rules match ``kafka-consumer-groups.sh --reset-offsets`` (4.4.0):

- A time means the first record that is at least as new. If every record is older, it means the end.
- An offset before the log's beginning becomes the beginning, one after its end becomes the end. ``note`` says so.
- ``ShiftBy`` needs a committed offset; a partition without one has an error.
- ``CURRENT`` keeps the committed offset, even outside the log, and means the end for a partition without one.

A target for a topic applies to all of its partitions; one for a partition takes precedence.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from enum import Enum
from typing import TYPE_CHECKING

from kafka_nextgen import clocks
from kafka_nextgen.admin.group_offsets import fetch_committed, find_offsets
from kafka_nextgen.admin.requests import AdminCall, broker_error
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import KafkaNextgenError, UnknownTopicError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.properties.offset_reset import OffsetReset
from kafka_nextgen.requests.list_offsets import EARLIEST, LATEST
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

if TYPE_CHECKING:
    from kafka_nextgen.groups.partition_results import PartitionResults

__all__ = ["CURRENT", "OffsetTarget", "PlannedOffset", "ShiftBy", "checked_targets", "plan_offsets"]


@frozen
class ShiftBy:
    """A number of offsets after the committed one; before it, if negative."""

    count: int


class Current(Enum):
    """The committed offset, or the end without one."""

    CURRENT = "current"


CURRENT = Current.CURRENT

#: An offset, the beginning or end, a time, a duration before now, a shift, or ``CURRENT``.
OffsetTarget = int | OffsetReset | datetime | timedelta | ShiftBy | Current

_AFTER_END = "no record has this offset yet: using the end"
_BEFORE_START = "this record no longer exists: using the beginning"
_NO_RECORD = "no record is this recent: using the end"
_NOT_COMMITTED = "no committed offset: using the end"


@frozen
class PlannedOffset:
    """The new position of a group in one partition: ``offset``, or None with the reason in ``error``.

    ``committed`` is its current committed offset; ``note`` explains a difference between ``offset`` and the target.
    """

    committed: OffsetAndMetadata | None
    offset: int | None
    start_offset: int | None = None
    end_offset: int | None = None
    note: str | None = None
    error: KafkaNextgenError | None = None


def checked_targets(
    targets: Mapping[str | TopicPartition, OffsetTarget],
) -> dict[str | TopicPartition, OffsetTarget]:
    """Return the targets. Raises TypeError for other types, ValueError for values that are not a position."""
    if not targets:
        raise ValueError("there are no offsets to plan")
    for place, target in targets.items():
        if not isinstance(place, str | TopicPartition):
            raise TypeError(f"targets are for topics (str) and TopicPartition, not {place!r}")
        _check_target(place, target)
    return dict(targets)


def _check_target(place: str | TopicPartition, target: object) -> None:
    if isinstance(target, bool) or not isinstance(target, int | OffsetReset | datetime | timedelta | ShiftBy | Current):
        kinds = "an offset, an OffsetReset, a datetime, a timedelta, ShiftBy or CURRENT"
        raise TypeError(f"{place}: a target is {kinds}, not {target!r}")
    if isinstance(target, datetime) and target.tzinfo is None:
        raise TypeError(f"{place}: {target!r} has no time zone: give it a timezone, or call .astimezone()")
    is_negative = isinstance(target, timedelta) and target < timedelta(0)
    if is_negative or target is OffsetReset.NONE or (isinstance(target, int) and target < 0):
        raise ValueError(f"{place}: {target!r} is not a position: offsets and durations must not be negative")


async def plan_offsets(
    call: AdminCall, group_id: str, targets: Mapping[str | TopicPartition, OffsetTarget]
) -> dict[TopicPartition, PlannedOffset]:
    """Return the plan for each partition, sorted. Raises UnknownTopicError for a topic that does not exist."""
    by_partition = await _by_partition(call, targets)
    times = _times_in(by_partition, round(clocks.time() * 1000))
    committed, starts, ends, found = await asyncio.gather(
        fetch_committed(call, group_id),
        find_offsets(call, dict.fromkeys(by_partition, EARLIEST)),
        find_offsets(call, dict.fromkeys(by_partition, LATEST)),
        find_offsets(call, times),
    )
    plans = {}
    for tp, target in by_partition.items():
        error = _first_error(tp, (found, ends, starts), committed.errors.get(tp), group_id)
        current = committed.offsets.get(tp)
        if error is not None:
            plans[tp] = PlannedOffset(current, None, starts.get(tp), ends.get(tp), error=error)
        else:
            at = found[tp] if tp in times else target
            plans[tp] = _plan(tp, at, current, starts[tp], ends[tp])
    return plans


async def _by_partition(
    call: AdminCall, targets: Mapping[str | TopicPartition, OffsetTarget]
) -> dict[TopicPartition, OffsetTarget]:
    """Replace each topic by its partitions."""
    names = frozenset(place if isinstance(place, str) else place.topic for place in targets)
    await call.cluster.refresh_metadata(topics=names, timeout_s=call.deadline.left_s())
    found: dict[TopicPartition, OffsetTarget] = {}
    for name in sorted({place for place in targets if isinstance(place, str)}):
        found |= dict.fromkeys(_partitions_of(call, name), targets[name])
    found |= {place: target for place, target in targets.items() if not isinstance(place, str)}
    return {tp: found[tp] for tp in sorted(found)}


def _partitions_of(call: AdminCall, name: str) -> Iterable[TopicPartition]:
    topic = call.cluster.metadata.topics_by_name.get(name)
    code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION if topic is None else topic.error
    if code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
        raise UnknownTopicError(f"there is no topic {name}", code=code)
    if topic is None or code not in (ErrorCode.NONE, ErrorCode.LEADER_NOT_AVAILABLE):
        raise broker_error(f"topic {name}", code)
    return [TopicPartition(name, number) for number in topic.partitions]


def _times_in(targets: Mapping[TopicPartition, OffsetTarget], now_ms: int) -> dict[TopicPartition, int]:
    """Return the targets that are times, in milliseconds since the Unix epoch."""
    times = {}
    for tp, target in targets.items():
        if isinstance(target, datetime):
            times[tp] = max(0, round(target.timestamp() * 1000))
        elif isinstance(target, timedelta):
            times[tp] = max(0, now_ms - round(target.total_seconds() * 1000))
    return times


def _first_error(
    tp: TopicPartition, results: Iterable[PartitionResults[int]], code: int | None, group_id: str
) -> KafkaNextgenError | None:
    if code:
        return broker_error(f"group {group_id}: {tp}", code, None, group_id)
    return next((each.failed[tp] for each in results if tp in each.failed), None)


def _plan(
    tp: TopicPartition, target: OffsetTarget, committed: OffsetAndMetadata | None, start: int, end: int
) -> PlannedOffset:
    """Apply the rules to one partition; a time was replaced by its offset, -1 if every record is older."""
    if isinstance(target, ShiftBy):
        if committed is None:
            error = KafkaNextgenError(f"{tp} can't be shifted: the group has no committed offset there")
            return PlannedOffset(None, None, start, end, error=error)
        target = max(0, committed.offset + target.count)
    elif target is CURRENT:
        if committed is None:
            return PlannedOffset(None, end, start, end, _NOT_COMMITTED)
        return PlannedOffset(committed, committed.offset, start, end)
    elif isinstance(target, OffsetReset):
        target = start if target is OffsetReset.EARLIEST else end
    assert isinstance(target, int)
    offset, note = _in_log(target, start, end)
    return PlannedOffset(committed, offset, start, end, note)


def _in_log(offset: int, start: int, end: int) -> tuple[int, str | None]:
    if offset < 0:
        return end, _NO_RECORD
    if offset > end:
        return end, _AFTER_END
    return (start, _BEFORE_START) if offset < start else (offset, None)
