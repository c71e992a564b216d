"""The driver's side of a batch query: from its options to the tasks that read it."""

from __future__ import annotations

from kafka_nextgen.spark.bounds import Bounds, narrowed
from kafka_nextgen.spark.cluster import Cluster
from kafka_nextgen.spark.losses import report_losses
from kafka_nextgen.spark.options import SourceOptions
from kafka_nextgen.spark.planning import Task, join, plan_batch
from kafka_nextgen.spark.resolving import resolve_ending_offsets, resolve_starting_offsets
from kafka_nextgen.spark.values import ClusterOffsets, PartitionOffsets

__all__ = ["plan_batch_query"]


def plan_batch_query(options: SourceOptions, bounds: Bounds | None = None) -> tuple[Task, ...]:
    """Ask Kafka what there is, and plan the tasks of a batch query.

    Arguments:
        options: those of the query.
        bounds: what the query's filters leave of it; None for all.

    Raises ``PlanningError`` and what ``Consumer`` raises.
    """
    cluster = Cluster(options)
    try:
        start, end, offsets = cluster.together(lambda: _resolved(cluster, options, bounds))
    finally:
        cluster.close()
    plan = plan_batch(start, end, offsets, options.split_options)
    report_losses(plan.losses, fail_on_data_loss=options.fail_on_data_loss)
    return join(plan.ranges, options.split_options)


def _resolved(
    cluster: Cluster, options: SourceOptions, bounds: Bounds | None
) -> tuple[PartitionOffsets, PartitionOffsets, ClusterOffsets]:
    """Where the query starts and ends, and what there is."""
    assert options.end is not None, "a batch query has an end"
    partitions = cluster.partitions()
    found = cluster.answers(options.start, partitions)
    offsets = cluster.offsets(partitions)  # after what was found, which may be the newest records
    start: PartitionOffsets = resolve_starting_offsets(options.start, offsets, found)
    end: PartitionOffsets = resolve_ending_offsets(options.end, offsets, cluster.answers(options.end, partitions))
    if bounds is not None:
        start, end = narrowed(start, end, bounds, cluster.found_by_time)
    return start, end, offsets
