"""``CoordinatorMetrics``: a snapshot of the metrics of a broker's group coordinators.

The names are those of KIP-848 ("Broker Metrics") that Kafka ships in its group ``group-coordinator-metrics``, or in the
same style where Kafka counts elsewhere. Metrics without a counterpart here are omitted: requests are processed one by
one as they arrive, so there is no event queue, no purgatory and no lingering batch.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

from kafka_nextgen.metrics.specs import MetricKind, document_fields, metric, metric_group, samples
from kafka_nextgen.metrics.timings import Latency

__all__ = ["CoordinatorMetrics", "GroupCounts", "OffsetCounts", "RebalanceCounts", "RuntimeMetrics"]

COUNTER, GAUGE, LATENCY = MetricKind.COUNTER, MetricKind.GAUGE, MetricKind.LATENCY


@document_fields
@frozen
class GroupCounts:
    """The numbers of groups."""

    by_protocol: Mapping[str, int] = metric(
        "group-count", GAUGE, "{group}", "groups of each protocol", default=dict, labels="protocol"
    )
    consumer: Mapping[str, int] = metric(
        "consumer-group-count", GAUGE, "{group}", "consumer groups in each state", default=dict, labels="state"
    )
    classic: Mapping[str, int] = metric(
        "classic-group-count",
        GAUGE,
        "{group}",
        "classic groups in each state (Kafka's NumGroups and its kin)",
        ours=True,
        default=dict,
        labels="state",
    )


@document_fields
@frozen
class RebalanceCounts:
    """How often groups rebalance."""

    consumer: int = metric(
        "consumer-group-rebalance-count",
        COUNTER,
        "{rebalance}",
        "group epochs that were raised; Kafka leaves out those raised because a member is gone",
    )
    consumer_rate: float = metric(
        "consumer-group-rebalance-rate",
        GAUGE,
        "{rebalance}/s",
        "the same in a second of the last 30 to 60",
        default=0.0,
    )
    classic: int = metric(
        "group-completed-rebalance-count", COUNTER, "{rebalance}", "rebalances of classic groups that were completed"
    )
    classic_rate: float = metric(
        "group-completed-rebalance-rate",
        GAUGE,
        "{rebalance}/s",
        "the same in a second of the last 30 to 60",
        default=0.0,
    )


@document_fields
@frozen
class OffsetCounts:
    """Committed offsets: their number, and how they come and go."""

    kept: int = metric("offset-count", GAUGE, "{offset}", "offsets committed (Kafka's NumOffsets)", ours=True)
    committed: int = metric("offset-commit-count", COUNTER, "{offset}", "offsets that were committed")
    commit_rate: float = metric(
        "offset-commit-rate", GAUGE, "{offset}/s", "the same in a second of the last 30 to 60", default=0.0
    )
    expired: int = metric("offset-expiration-count", COUNTER, "{offset}", "offsets that expired")
    expiration_rate: float = metric(
        "offset-expiration-rate", GAUGE, "{offset}/s", "the same in a second of the last 30 to 60", default=0.0
    )
    deleted: int = metric("offset-deletion-count", COUNTER, "{offset}", "offsets that an administrator deleted")
    deletion_rate: float = metric(
        "offset-deletion-rate", GAUGE, "{offset}/s", "the same in a second of the last 30 to 60", default=0.0
    )


@document_fields
@frozen
class RuntimeMetrics:
    """The work of the coordinators, one for each partition of the offsets topic."""

    partitions: Mapping[str, int] = metric(
        "num-partitions",
        GAUGE,
        "{partition}",
        "partitions whose coordinator is loading, active, or failed to read its log",
        default=dict,
        labels="state",
    )
    load_time: Latency = metric(
        "partition-load-time", LATENCY, "ms", "reading the log of a partition into a coordinator", default=Latency
    )
    processing_time: Latency = metric(
        "event-processing-time-ms", LATENCY, "ms", "working out a request or a timer", default=Latency
    )
    flush_time: Latency = metric(
        "batch-flush-time-ms", LATENCY, "ms", "storing what a request or a timer came to", default=Latency
    )
    idle_ratio: float = metric(
        "thread-idle-ratio-avg",
        GAUGE,
        "1",
        "the part of the last 30 to 60 s in which no coordinator was at work, between 0 and 1",
        default=1.0,
    )


@frozen
class CoordinatorMetrics:
    """The metrics of a broker's group coordinators, in groups."""

    groups: GroupCounts = metric_group(GroupCounts)
    rebalances: RebalanceCounts = metric_group(RebalanceCounts)
    offsets: OffsetCounts = metric_group(OffsetCounts)
    runtime: RuntimeMetrics = metric_group(RuntimeMetrics)

    def as_dict(self) -> dict[str, float]:
        """Return all known numbers by name, as in ``group-count{protocol="consumer"}``."""
        return {str(sample): sample.value for sample in samples(self)}
