"""What a consumer counts and measures: the values, and how each is called by Kafka's own clients.

Nothing here counts by itself. Whoever does something keeps plain numbers beside it (``Timings`` for durations),
written by one thread and readable by any; ``Metrics`` is what they were at one moment.
"""

from __future__ import annotations

from kafka_nextgen.metrics.fields import Kind, MetricSpec
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

__all__ = [
    "CommitMetrics",
    "ConnectionMetrics",
    "GroupMetrics",
    "Kind",
    "Latency",
    "MetricSpec",
    "Metrics",
    "PartitionMetrics",
    "PollingMetrics",
    "ReadingMetrics",
    "Sample",
    "Timings",
    "TopicMetrics",
    "samples",
    "specs",
]
