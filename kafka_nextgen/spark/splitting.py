"""How ranges become tasks: ``maxRecordsPerPartition`` and ``minPartitions`` split them, then small ones are joined.

The outcome of splitting is that of Spark's built-in source (KafkaOffsetRangeCalculator.scala):

- Empty ranges are dropped. Without either option, each range is one task.
- ``maxRecordsPerPartition`` divides each range into the fewest equal parts that are small enough.
- If there are fewer parts than ``minPartitions`` then, each gets its share of ``minPartitions`` by size, rounded to the
  nearest. Parts whose share is one stay whole, with all of their partition, and the rest share what remains by size.
- A range that is divided gives the remainder to its last parts.

``minPartitions`` is approximate: rounding may give a few more or fewer. The order is by topic, partition and offset.

Joining is not in the built-in source. A task of a Python source takes tens of milliseconds, even if it reads little, so
one task reads several ranges that have fewer records than ``minRecordsPerPartition``, until it has as many:

- There is no other measure than records, so that their sum stays below twice that number. A range that has as many by
  itself is a task of its own.
- ``maxRecordsPerPartition`` bounds the sum, too, and there are never fewer tasks than ``minPartitions`` because of it.
- What was split stays split: no task reads two ranges of one partition.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import floor, inf
from typing import TypeAlias

from attrs import evolve, field, frozen, validators

from kafka_nextgen.spark.values import PartitionRange

__all__ = ["SplitOptions", "Task", "join", "split"]

#: What one task reads: ranges of different partitions.
Task: TypeAlias = tuple[PartitionRange, ...]


@frozen
class SplitOptions:
    """The options that split ranges, each a number from 1 up or None, and the one that joins them: 0 or 1 for never."""

    min_partitions: int | None = field(default=None, validator=validators.optional(validators.ge(1)))
    max_records_per_partition: int | None = field(default=None, validator=validators.optional(validators.ge(1)))
    min_records_per_partition: int = field(default=0, validator=validators.ge(0))


def split(ranges: Iterable[PartitionRange], options: SplitOptions) -> tuple[PartitionRange, ...]:
    """Split ranges, of which each partition has at most one, into parts that one task can read."""
    parts = [whole for whole in sorted(ranges) if whole.size > 0]
    most = options.max_records_per_partition
    if most is not None:
        parts = [part for whole in parts for part in _divided(whole, -(-whole.size // most))]
    if options.min_partitions is not None and options.min_partitions > len(parts):
        parts = _spread(parts, options.min_partitions)
    return tuple(parts)


def join(parts: Sequence[PartitionRange], options: SplitOptions) -> tuple[Task, ...]:
    """Put parts of few records together in tasks, which are in the order of their first parts."""
    least, most = options.min_records_per_partition, options.max_records_per_partition or inf
    pieces = Counter(part.topic_partition for part in parts)
    spare = len(parts) - (options.min_partitions or 0)  # so many tasks may be saved
    tasks: list[list[PartitionRange]] = []
    taking: list[PartitionRange] = []  # the task that takes more
    records = 0
    for part in parts:
        if part.size >= least or pieces[part.topic_partition] > 1:
            tasks.append([part])
        elif taking and spare > 0 and records < least and records + part.size <= most:
            taking.append(part)
            records, spare = records + part.size, spare - 1
        else:
            taking, records = [part], part.size
            tasks.append(taking)
    return tuple(map(tuple, tasks))


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
