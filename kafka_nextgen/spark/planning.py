"""From start, end, options and what the cluster said to the ranges that tasks read. Pure functions: no clock, no I/O.

The steps of a batch query:

    timestamps_to_ask        what to look up
    resolve_starting_offsets, resolve_ending_offsets
    plan_batch               ranges and losses
    report_losses            the losses as warnings, or DataLossError (``reporting``)
    join                     the ranges as tasks

The steps of a streaming query, for each trigger:

    admit                    where the batch ends: rate limits; admit_available_now for a run that ends
    plan_stream              ranges and losses between the end of the last batch and the end of this one
    report_losses, join

The same arguments give the same plan, in the order of topic, partition and offset. The ranges of a partition follow
each other without a hole or an overlap. What is not covered between start and end is in ``losses``.
"""

from __future__ import annotations

from attrs import frozen

from kafka_nextgen.spark.admission import Admission, TriggerLimits, admit, admit_available_now, check_available_now
from kafka_nextgen.spark.limits import check_start_not_beyond_end
from kafka_nextgen.spark.losses import DataLoss, batch_losses, stream_losses
from kafka_nextgen.spark.resolving import resolve_ending_offsets, resolve_starting_offsets, timestamps_to_ask
from kafka_nextgen.spark.splitting import SplitOptions, Task, join, split
from kafka_nextgen.spark.values import ClusterOffsets, PartitionOffsets, PartitionRange, begin_of
from kafka_nextgen.types import TopicPartition

__all__ = [
    "Admission",
    "ClusterOffsets",
    "PartitionRange",
    "Plan",
    "SplitOptions",
    "Task",
    "TriggerLimits",
    "admit",
    "admit_available_now",
    "check_available_now",
    "join",
    "plan_batch",
    "plan_stream",
    "resolve_ending_offsets",
    "resolve_starting_offsets",
    "timestamps_to_ask",
]


@frozen
class Plan:
    """The ranges to read, and what can't be read because it is gone. There may be no ranges."""

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
    """Plan a streaming batch from ``start``, the end of the last one, to ``end``; each has all its partitions.

    New partitions are read from their earliest offset. ``cluster.earliest`` must have those that still exist. What
    ``cluster`` has of other partitions is checked: records that are gone are then noticed here, not in a task.
    """
    begins = {tp: begin_of(tp, start, cluster.earliest) for tp in sorted(end)}
    whole = [_readable(tp, begin, end[tp], cluster) for tp, begin in begins.items() if begin is not None]
    return Plan(split(whole, options), stream_losses(start, end, cluster))


def _readable(tp: TopicPartition, begin: int, end: int, cluster: ClusterOffsets) -> PartitionRange:
    until = min(end, cluster.latest.get(tp, end))
    return PartitionRange(tp.topic, tp.partition, begin, until, cluster.topic_ids.get(tp))
