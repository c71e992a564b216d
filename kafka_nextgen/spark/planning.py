"""Turn start, end, options and the offsets of the cluster into tasks. Pure functions: no clock, no I/O.

A batch query and each trigger of a streaming query take the same steps. ``plan_batch`` or ``plan_stream`` returns the
ranges to read and the losses, which lie between start and end but can't be read. ``join`` combines the ranges into
tasks.

The same arguments give the same plan, ordered by topic, partition and offset. The ranges of a partition follow each
other without a gap or an overlap.

Ranges are split as in Spark's built-in source (KafkaOffsetRangeCalculator.scala):

- Empty ranges are dropped. Without options, each range is one task.
- ``maxRecordsPerPartition`` divides each range into the fewest equal parts that are small enough.
- If there are then fewer parts than ``minPartitions``, each gets its share of ``minPartitions`` by size, rounded to the
  nearest. Partitions with a part whose share is one are not divided further; the others share the rest by size.
- When a range is divided, its last parts get the remainder.

``minPartitions`` is approximate: rounding may give a few parts more or fewer.

The built-in source does not join ranges. A task of a Python source takes tens of milliseconds even if it reads little,
so ranges with fewer records than ``minRecordsPerPartition`` share a task until it has that many:

- Only the number of records counts. A task of joined ranges has fewer than twice that number.
- ``maxRecordsPerPartition`` limits the sum as well, and joining leaves at least ``minPartitions`` tasks.
- Parts of a split range are not joined: no task reads two ranges of one partition.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import floor, inf
from typing import TypeAlias

from attrs import evolve, field, validators

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.spark.limits import check_start_not_beyond_end
from kafka_nextgen.spark.losses import DataLoss, batch_losses, stream_losses
from kafka_nextgen.spark.values import ClusterOffsets, PartitionOffsets, PartitionRange, begin_offset
from kafka_nextgen.types import TopicPartition

__all__ = ["Plan", "SplitOptions", "Task", "join", "plan_batch", "plan_stream", "split"]

#: The input of one task: ranges of different partitions.
Task: TypeAlias = tuple[PartitionRange, ...]


@frozen
class SplitOptions:
    """The options that split ranges, each at least 1 or None, and the option that joins them: 0 or 1 means never."""

    min_partitions: int | None = field(default=None, validator=validators.optional(validators.ge(1)))
    max_records_per_partition: int | None = field(default=None, validator=validators.optional(validators.ge(1)))
    min_records_per_partition: int = field(default=0, validator=validators.ge(0))


@frozen
class Plan:
    """The ranges to read, which may be empty, and the losses."""

    ranges: tuple[PartitionRange, ...]
    losses: tuple[DataLoss, ...] = ()


def plan_batch(start: PartitionOffsets, end: PartitionOffsets, cluster: ClusterOffsets, options: SplitOptions) -> Plan:
    """Plan a batch query between resolved offsets of the same partitions.

    Raises ``StartBeyondEndError`` if a start is greater than its end. The built-in source refuses that too, in a task.
    """
    assert start.keys() == end.keys(), "start and end were resolved for the same partitions"
    check_start_not_beyond_end("offset", start, end, "; the option is wrong, or the log became shorter than it was")
    whole = [_readable(tp, max(start[tp], cluster.earliest.get(tp, 0)), end[tp], cluster) for tp in sorted(start)]
    return Plan(split(whole, options), batch_losses(start, end, cluster))


def plan_stream(start: PartitionOffsets, end: PartitionOffsets, cluster: ClusterOffsets, options: SplitOptions) -> Plan:
    """Plan a streaming batch from ``start``, the end of the last one, to ``end``; both have all partitions.

    New partitions are read from their earliest offset. ``cluster.earliest`` must have those that still exist. If
    ``cluster`` has offsets of other partitions, these are checked, so that lost records are detected here rather than
    in a task.
    """
    begins = {tp: begin_offset(tp, start, cluster.earliest) for tp in sorted(end)}
    whole = [_readable(tp, begin, end[tp], cluster) for tp, begin in begins.items() if begin is not None]
    return Plan(split(whole, options), stream_losses(start, end, cluster))


def _readable(tp: TopicPartition, begin: int, end: int, cluster: ClusterOffsets) -> PartitionRange:
    until = min(end, cluster.latest.get(tp, end))
    return PartitionRange(tp.topic, tp.partition, begin, until, cluster.topic_ids.get(tp))


def split(ranges: Iterable[PartitionRange], options: SplitOptions) -> tuple[PartitionRange, ...]:
    """Split ranges, at most one per partition, into parts for one task each."""
    parts = [whole for whole in sorted(ranges) if whole.size > 0]
    most = options.max_records_per_partition
    if most is not None:
        parts = [part for whole in parts for part in _divided(whole, -(-whole.size // most))]
    if options.min_partitions is not None and options.min_partitions > len(parts):
        parts = _spread(parts, options.min_partitions)
    return tuple(parts)


def join(parts: Sequence[PartitionRange], options: SplitOptions) -> tuple[Task, ...]:
    """Combine parts with few records into tasks, which are in the order of their first parts."""
    least, most = options.min_records_per_partition, options.max_records_per_partition or inf
    pieces = Counter(part.topic_partition for part in parts)
    spare = len(parts) - (options.min_partitions or 0)  # the number of tasks that may be saved
    tasks: list[list[PartitionRange]] = []
    taking: list[PartitionRange] = []  # the task that still accepts parts
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
    # In floating point and rounded half up, as Java's Math.round does: other arithmetic would split at other offsets.
    return max(floor(size / total * count + 0.5), 1)


def _divided(whole: PartitionRange, count: int) -> list[PartitionRange]:
    count = min(count, whole.size)  # no part is empty
    pieces, start = [], whole.start
    for left in range(count, 0, -1):
        end = start + (whole.end - start) // left
        pieces.append(evolve(whole, start=start, end=end))
        start = end
    return pieces
