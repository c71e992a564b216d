"""The driver's side of a batch query: from its options to the tasks that read it.

Filters of the query don't narrow what its tasks read. Spark 4.2 and 4.3 keep the partitions of a ``load()`` and read
them again for each use of its DataFrame, regardless of the filters of that use.
"""

from __future__ import annotations

from kafka_nextgen.spark.cluster import Cluster
from kafka_nextgen.spark.losses import report_losses
from kafka_nextgen.spark.options import SourceOptions
from kafka_nextgen.spark.planning import Task, join, plan_batch
from kafka_nextgen.spark.resolving import resolve_ending_offsets, resolve_starting_offsets
from kafka_nextgen.spark.values import ClusterOffsets, PartitionOffsets

__all__ = ["plan_batch_query"]


def plan_batch_query(options: SourceOptions) -> tuple[Task, ...]:
    """Ask Kafka for offsets, and plan the tasks of a batch query.

    Raises ``PlanningError`` and the errors of ``Consumer``.
    """
    cluster = Cluster(options)
    try:
        start, end, offsets = cluster.retry_unknown_topics(lambda: _resolved(cluster, options))
    finally:
        cluster.close()
    plan = plan_batch(start, end, offsets, options.split_options)
    report_losses(plan.losses, fail_on_data_loss=options.fail_on_data_loss)
    return join(plan.ranges, options.split_options)


def _resolved(cluster: Cluster, options: SourceOptions) -> tuple[PartitionOffsets, PartitionOffsets, ClusterOffsets]:
    """The start and the end of the query, and the offsets of the cluster."""
    assert options.end is not None, "a batch query has an end"
    partitions = cluster.partitions()
    found = cluster.find_offsets(options.start, partitions)
    offsets = cluster.offsets(partitions)  # requested later, so that no start found by timestamp is after the end
    start = resolve_starting_offsets(options.start, offsets, found)
    end = resolve_ending_offsets(options.end, offsets, cluster.find_offsets(options.end, partitions))
    return start, end, offsets
