"""How ranges are split among tasks: ``maxRecordsPerPartition`` first, then ``minPartitions``.

The outcome is that of Spark's built-in source (KafkaOffsetRangeCalculator.scala):

- Empty ranges are dropped. Without either option, each range is one task.
- ``maxRecordsPerPartition`` divides each range into the fewest equal parts that are small enough.
- If there are fewer parts than ``minPartitions`` then, each gets its share of ``minPartitions`` by size, rounded to the
  nearest. Parts whose share is one stay whole, with all of their partition, and the rest share what remains by size.
- A range that is divided gives the remainder to its last parts.

``minPartitions`` is approximate: rounding may give a few more or fewer. The order is by topic, partition and offset.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import floor

from attrs import evolve, field, frozen, validators

from kafka_nextgen.spark.values import PartitionRange

__all__ = ["SplitOptions", "split"]


@frozen
class SplitOptions:
    """The options that split ranges: each a number from 1 up, or None."""

    min_partitions: int | None = field(default=None, validator=validators.optional(validators.ge(1)))
    max_records_per_partition: int | None = field(default=None, validator=validators.optional(validators.ge(1)))


def split(ranges: Iterable[PartitionRange], options: SplitOptions) -> tuple[PartitionRange, ...]:
    """Split ranges, of which each partition has at most one, into ranges of one task each."""
    parts = [whole for whole in sorted(ranges) if whole.size > 0]
    most = options.max_records_per_partition
    if most is not None:
        parts = [part for whole in parts for part in _divided(whole, -(-whole.size // most))]
    if options.min_partitions is not None and options.min_partitions > len(parts):
        parts = _spread(parts, options.min_partitions)
    return tuple(parts)


def _spread(parts: list[PartitionRange], at_least: int) -> list[PartitionRange]:
    total = sum(part.size for part in parts)
    small = [part for part in parts if _share(part.size, total, at_least) == 1]
    whole = {part.topic_partition for part in small}
    rest = total - sum(part.size for part in small)
    shares = max(at_least - len(small), 1)
    return [
        piece
        for part in parts
        for piece in _divided(part, 1 if part.topic_partition in whole else _share(part.size, rest, shares))
    ]


def _share(size: int, total: int, count: int) -> int:
    # In floating point and rounded half up, as Java's Math.round does: other arithmetic splits elsewhere.
    return max(floor(size / total * count + 0.5), 1)


def _divided(whole: PartitionRange, count: int) -> list[PartitionRange]:
    count = min(count, whole.size)  # no part is empty
    pieces, start = [], whole.start
    for left in range(count, 0, -1):
        end = start + (whole.end - start) // left
        pieces.append(evolve(whole, start=start, end=end))
        start = end
    return pieces
