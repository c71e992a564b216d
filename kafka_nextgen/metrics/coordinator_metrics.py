"""``CoordinatorMetrics``: a snapshot of the metrics of a broker's group coordinators.

The names are from KIP-848 ("Broker Metrics") that Kafka ships in its group ``group-coordinator-metrics``. Metrics that
Kafka has elsewhere get names in the same style. Requests are processed one by one as they arrive, so only timers can
queue. Metrics without a counterpart here are omitted: this broker has no purgatory and no lingering batch.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.metrics.specs import counter, document_fields, duration, gauge, metric_group, samples
from kafka_nextgen.metrics.timings import Latency

__all__ = ["CoordinatorMetrics", "GroupCounts", "OffsetCounts", "RebalanceCounts", "RuntimeMetrics"]


def _rate(name: str, unit: str) -> Any:
    return gauge(name, unit, "the same per second, over the last 30 to 60 s", default=0.0)


@document_fields
@frozen
class GroupCounts:
    """The numbers of groups."""

    by_protocol: Mapping[str, int] = gauge(
        "group-count", "{group}", "groups of each protocol", default=dict, labels="protocol"
    )
    consumer: Mapping[str, int] = gauge(
        "consumer-group-count", "{group}", "consumer groups in each state", default=dict, labels="state"
    )
    classic: Mapping[str, int] = gauge(
        "classic-group-count",
        "{group}",
        "classic groups in each state (Kafka's NumGroups and similar)",
        ours=True,
        default=dict,
        labels="state",
    )


@document_fields
@frozen
class RebalanceCounts:
    """How often groups rebalance."""

    consumer: int = counter(
        "consumer-group-rebalance-count",
        "{rebalance}",
        "group epoch bumps; Kafka does not count those caused by a member that left",
    )
    consumer_rate: float = _rate("consumer-group-rebalance-rate", "{rebalance}/s")
    classic: int = counter(
        "group-completed-rebalance-count", "{rebalance}", "rebalances of classic groups that were completed"
    )
    classic_rate: float = _rate("group-completed-rebalance-rate", "{rebalance}/s")


@document_fields
@frozen
class OffsetCounts:
    """Committed offsets: their number, commits, deletions and expirations."""

    kept: int = gauge("offset-count", "{offset}", "offsets committed (Kafka's NumOffsets)", ours=True)
    committed: int = counter("offset-commit-count", "{offset}", "offsets that were committed")
    commit_rate: float = _rate("offset-commit-rate", "{offset}/s")
    expired: int = counter("offset-expiration-count", "{offset}", "offsets that expired")
    expiration_rate: float = _rate("offset-expiration-rate", "{offset}/s")
    deleted: int = counter("offset-deletion-count", "{offset}", "offsets that an administrator deleted")
    deletion_rate: float = _rate("offset-deletion-rate", "{offset}/s")


@document_fields
@frozen
class RuntimeMetrics:
    """The work of the coordinators, one for each partition of the offsets topic."""

    partitions: Mapping[str, int] = gauge(
        "num-partitions",
        "{partition}",
        "partitions whose coordinator is loading, active, or failed to read its log",
        default=dict,
        labels="state",
    )
    queue_size: int = gauge(
        "event-queue-size",
        "{event}",
        "timers that are due and not handled yet: the broker is busy, or can't write the log; requests never queue",
    )
    load_time: Latency = duration("partition-load-time", "reading the log of a partition into a coordinator")
    processing_time: Latency = duration("event-processing-time-ms", "handling a request or a timer")
    flush_time: Latency = duration("batch-flush-time-ms", "storing the outcome of a request or a timer")
    idle_ratio: float = gauge(
        "thread-idle-ratio-avg",
        "1",
        "the share of the last 30 to 60 s, from 0 to 1, in which all coordinators were idle",
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
