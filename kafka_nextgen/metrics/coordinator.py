"""``CoordinatorMetrics``: what the group coordinators of a broker have counted and measured, as one value.

The names are those that Kafka ships of KIP-848's list ("Broker Metrics"), in its group ``group-coordinator-metrics``;
where it counts elsewhere, they are in the same style. What has no counterpart here is left out rather than made up:
requests are worked out one by one as they come, so there is no queue of events, no purgatory and no lingering batch.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

from kafka_nextgen.metrics.fields import Kind, described, metric, one
from kafka_nextgen.metrics.sampling import samples
from kafka_nextgen.metrics.timings import Latency

__all__ = ["CoordinatorMetrics", "GroupCounts", "OffsetCounts", "RebalanceCounts", "RuntimeMetrics"]

COUNTER, GAUGE, LATENCY = Kind.COUNTER, Kind.GAUGE, Kind.LATENCY


@described
@frozen
class GroupCounts:
    """What groups there are."""

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


@described
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


@described
@frozen
class OffsetCounts:
    """Committed offsets: how many there are, and how they come and go."""

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


@described
@frozen
class RuntimeMetrics:
    """The coordinators at work, one to each partition of the offsets topic."""

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
    """What the group coordinators of a broker have counted and measured until now: see each group."""

    groups: GroupCounts = one(GroupCounts)
    rebalances: RebalanceCounts = one(RebalanceCounts)
    offsets: OffsetCounts = one(OffsetCounts)
    runtime: RuntimeMetrics = one(RuntimeMetrics)

    def as_dict(self) -> dict[str, float]:
        """Everything by name, as in ``group-count{protocol="consumer"}``; what is not known yet is left out."""
        return {str(sample): sample.value for sample in samples(self)}
