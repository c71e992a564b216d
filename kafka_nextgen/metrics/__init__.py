"""What consumers and group coordinators count and measure: the values, and how Kafka calls each.

Nothing here counts by itself. Whoever does something keeps plain numbers beside it (``Timings`` for durations),
written by one thread and readable by any; ``Metrics`` is what they were at one moment.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafka_nextgen.later import imports_later
from kafka_nextgen.metrics.meter import Meter
from kafka_nextgen.metrics.timings import Latency, Timings

if TYPE_CHECKING:
    from kafka_nextgen.metrics.coordinator import (
        CoordinatorMetrics,
        GroupCounts,
        OffsetCounts,
        RebalanceCounts,
        RuntimeMetrics,
    )
    from kafka_nextgen.metrics.fields import Kind, MetricSpec
    from kafka_nextgen.metrics.sampling import Sample, samples, specs
    from kafka_nextgen.metrics.values import (
        CommitMetrics,
        ConnectionMetrics,
        GroupMetrics,
        Metrics,
        PartitionMetrics,
        PollingMetrics,
        ReadingMetrics,
        TopicMetrics,
    )

__all__ = [
    "CommitMetrics",
    "ConnectionMetrics",
    "CoordinatorMetrics",
    "GroupCounts",
    "GroupMetrics",
    "Kind",
    "Latency",
    "Meter",
    "MetricSpec",
    "Metrics",
    "OffsetCounts",
    "PartitionMetrics",
    "PollingMetrics",
    "ReadingMetrics",
    "RebalanceCounts",
    "RuntimeMetrics",
    "Sample",
    "Timings",
    "TopicMetrics",
    "samples",
    "specs",
]

_VALUES = (
    "CommitMetrics",
    "ConnectionMetrics",
    "GroupMetrics",
    "Metrics",
    "PartitionMetrics",
    "PollingMetrics",
    "ReadingMetrics",
    "TopicMetrics",
)
_OF_COORDINATORS = ("CoordinatorMetrics", "GroupCounts", "OffsetCounts", "RebalanceCounts", "RuntimeMetrics")

#: What only those need who ask for metrics; whoever counts needs no more than ``Timings`` and ``Meter``.
_LATER = {
    **dict.fromkeys(("Kind", "MetricSpec"), "kafka_nextgen.metrics.fields"),
    **dict.fromkeys(("Sample", "samples", "specs"), "kafka_nextgen.metrics.sampling"),
    **dict.fromkeys(_VALUES, "kafka_nextgen.metrics.values"),
    **dict.fromkeys(_OF_COORDINATORS, "kafka_nextgen.metrics.coordinator"),
}

__getattr__ = imports_later(__name__, _LATER)
