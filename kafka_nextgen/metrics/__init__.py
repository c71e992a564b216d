"""What consumers and group coordinators count and measure: the values, and how Kafka calls each.

Nothing here counts by itself. Whoever does something keeps plain numbers beside it (``Timings`` for durations),
written by one thread and readable by any; ``Metrics`` is what they were at one moment.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafka_nextgen.later import imports_later
from kafka_nextgen.metrics.fields import Kind, MetricSpec
from kafka_nextgen.metrics.meter import Meter
from kafka_nextgen.metrics.samples import Sample, samples, specs
from kafka_nextgen.metrics.timings import Latency, Timings
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

if TYPE_CHECKING:
    from kafka_nextgen.metrics.coordinator import (
        CoordinatorMetrics,
        GroupCounts,
        OffsetCounts,
        RebalanceCounts,
        RuntimeMetrics,
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

#: What only brokers need.
_LATER = dict.fromkeys(
    ("CoordinatorMetrics", "GroupCounts", "OffsetCounts", "RebalanceCounts", "RuntimeMetrics"),
    "kafka_nextgen.metrics.coordinator",
)

__getattr__ = imports_later(__name__, _LATER)
