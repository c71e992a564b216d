"""The driver's side of a batch query: from its options and pushed filters to the tasks that read it.

Filters only narrow ranges: Spark applies all of them to what is read. A timestamp narrows the start, where the broker
finds the first record with that timestamp or a later one. It can't narrow the end, because later records may be older.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from attrs import frozen

from kafka_nextgen.spark.cluster import Cluster
from kafka_nextgen.spark.losses import report_losses
from kafka_nextgen.spark.options import SourceOptions
from kafka_nextgen.spark.planning import Task, join, plan_batch
from kafka_nextgen.spark.resolving import resolve_ending_offsets, resolve_starting_offsets
from kafka_nextgen.spark.values import ClusterOffsets, PartitionOffsets
from kafka_nextgen.types import TopicPartition

__all__ = ["NO_END", "Bounds", "plan_batch_query"]

#: Finds the first offsets with these timestamps (ms) or later ones; None where there is none.
OffsetsForTimes: TypeAlias = Callable[[Mapping[TopicPartition, int]], Mapping[TopicPartition, int | None]]

#: Greater than every offset.
NO_END = 2**63 - 1


@frozen
class Bounds:
    """What filters leave: these topics and partitions (None for all), offsets from ``start`` up to before ``end``."""

    topics: frozenset[object] | None = None
    partitions: frozenset[object] | None = None
    start: int = 0
    end: int = NO_END
    from_timestamp_ms: int | None = None

    def narrow(
        self, start: PartitionOffsets, end: PartitionOffsets, offsets_for_times: OffsetsForTimes
    ) -> tuple[PartitionOffsets, PartitionOffsets]:
        """Return the starts and ends of the partitions that are left. If nothing is left of one, it starts at its end.

        A start after its end stays as it is; planning refuses it.
        """
        kept = [tp for tp in start if self._includes(tp)]
        starts = {tp: max(start[tp], self.start) for tp in kept}
        if self.from_timestamp_ms is not None:
            found = offsets_for_times(dict.fromkeys(kept, self.from_timestamp_ms))
            starts = {tp: end[tp] if (at := found[tp]) is None else max(starts[tp], at) for tp in kept}
        ends = {tp: min(end[tp], max(self.end, start[tp])) for tp in kept}
        return {tp: max(min(starts[tp], ends[tp]), start[tp]) for tp in kept}, ends

    def _includes(self, tp: TopicPartition) -> bool:
        in_topics = self.topics is None or tp.topic in self.topics
        return in_topics and (self.partitions is None or tp.partition in self.partitions)


def plan_batch_query(options: SourceOptions, bounds: Bounds | None = None) -> tuple[Task, ...]:
    """Ask Kafka for offsets, and plan the tasks of a batch query.

    Arguments:
        options: the options of the query.
        bounds: what the query's filters leave of it; None for all.

    Raises ``PlanningError`` and what ``Consumer`` raises.
    """
    cluster = Cluster(options)
    try:
        start, end, offsets = cluster.retry_unknown_topics(lambda: _resolved(cluster, options, bounds or Bounds()))
    finally:
        cluster.close()
    plan = plan_batch(start, end, offsets, options.split_options)
    report_losses(plan.losses, fail_on_data_loss=options.fail_on_data_loss)
    return join(plan.ranges, options.split_options)


def _resolved(
    cluster: Cluster, options: SourceOptions, bounds: Bounds
) -> tuple[PartitionOffsets, PartitionOffsets, ClusterOffsets]:
    """Where the query starts and ends, and the offsets of the cluster."""
    assert options.end is not None, "a batch query has an end"
    partitions = cluster.partitions()
    found = cluster.find_offsets(options.start, partitions)
    offsets = cluster.offsets(partitions)  # asked for later, so that no start found by timestamp is after the end
    start = resolve_starting_offsets(options.start, offsets, found)
    end = resolve_ending_offsets(options.end, offsets, cluster.find_offsets(options.end, partitions))
    return *bounds.narrow(start, end, cluster.offsets_for_times), offsets
