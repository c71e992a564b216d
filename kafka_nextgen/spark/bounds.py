"""What the filters of a batch query leave of its ranges; ``pushed_filters`` makes it of Spark's filters.

Ranges are only narrowed: Spark applies all filters to what is read. A timestamp narrows the start: the broker finds the
first record that is not older. It does not narrow the end, for later records may be older.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from attrs import frozen

from kafka_nextgen.spark.values import PartitionOffsets
from kafka_nextgen.types import TopicPartition

__all__ = ["NO_END", "Bounds", "narrowed"]

#: Finds the first offsets that are not older than timestamps in milliseconds; None where there is none.
FindByTime: TypeAlias = Callable[[Mapping[TopicPartition, int]], Mapping[TopicPartition, int | None]]

#: Beyond every offset.
NO_END = 2**63 - 1


@frozen
class Bounds:
    """What filters leave: topics and partitions (None for all), offsets from ``start`` up to before ``end``."""

    topics: frozenset[object] | None = None
    partitions: frozenset[object] | None = None
    start: int = 0
    end: int = NO_END
    from_timestamp_ms: int | None = None

    def has(self, tp: TopicPartition) -> bool:
        """Whether records of this partition can pass."""
        in_topics = self.topics is None or tp.topic in self.topics
        return in_topics and (self.partitions is None or tp.partition in self.partitions)


def narrowed(
    start: PartitionOffsets, end: PartitionOffsets, bounds: Bounds, find_by_time: FindByTime
) -> tuple[PartitionOffsets, PartitionOffsets]:
    """The starts and ends of the partitions that are left; a partition with nothing left starts at its end.

    A start beyond its end stays as it is: planning refuses that.
    """
    kept = [tp for tp in start if bounds.has(tp)]
    starts = {tp: max(start[tp], bounds.start) for tp in kept}
    if bounds.from_timestamp_ms is not None:
        found = find_by_time(dict.fromkeys(kept, bounds.from_timestamp_ms))
        starts = {tp: end[tp] if (at := found[tp]) is None else max(starts[tp], at) for tp in kept}
    ends = {tp: min(end[tp], max(bounds.end, start[tp])) for tp in kept}
    return {tp: max(min(starts[tp], ends[tp]), start[tp]) for tp in kept}, ends
