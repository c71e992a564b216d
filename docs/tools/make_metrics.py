"""Write docs/reference/metrics.md from the classes of metrics: ``python docs/tools/make_metrics.py``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from attrs import fields

from kafka_nextgen.metrics.consumer_metrics import (
    CommitMetrics,
    ConnectionMetrics,
    GroupMetrics,
    PartitionMetrics,
    PollingMetrics,
    ReadingMetrics,
    TopicMetrics,
)
from kafka_nextgen.metrics.coordinator_metrics import GroupCounts, OffsetCounts, RebalanceCounts, RuntimeMetrics
from kafka_nextgen.metrics.specs import MetricKind, MetricSpec, spec_of

__all__ = ["metrics_page"]

PAGE = Path(__file__).parents[1] / "reference" / "metrics.md"

OPENING = """\
# Metrics

*Written by `python docs/tools/make_metrics.py` from `kafka_nextgen/metrics/`; a test checks that it is
up to date.*

The fields of `consumer.metrics()` and of a broker's `metrics()`, and their names in `as_dict()`.
[Monitoring](../operations/monitoring.md) describes how to use them.

Counters only increase while the consumer or broker lives; gauges are current values. A latency consists of three
numbers: `-total`, a counter of milliseconds, and the gauges `-avg` and `-max` of the last 30 to 60 seconds, as in
Kafka. Names in *italics* are not Kafka's. Kafka has all others, but of latencies only `-avg` and `-max`.

## Consumer metrics
"""

GROUPS: dict[str, type[object]] = {
    "reading": ReadingMetrics,
    "reading.topics[topic]": TopicMetrics,
    "reading.partitions[partition]": PartitionMetrics,
    "commits": CommitMetrics,
    "group": GroupMetrics,
    "polling": PollingMetrics,
    "connections": ConnectionMetrics,
}

OF_A_BROKER = """
## Group coordinator metrics

`Broker.metrics()` of `kafka_nextgen.testing.broker`, and `Cluster.metrics()` of `kafka_nextgen.testing`, return the
metrics of the group coordinators of all nodes (KIP-848, "Broker Metrics"). The names are the same as in Kafka's
`group-coordinator-metrics`.

Kafka has more metrics, which have no meaning here: `event-queue-time-ms` and `event-purgatory-time-ms`, because
requests are handled as they arrive and the log has no followers to wait for; `batch-linger-time-ms`, because no batch
waits for another; and those of share and streams groups, which are not supported.
"""

COORDINATOR_GROUPS: dict[str, type[object]] = {
    "groups": GroupCounts,
    "rebalances": RebalanceCounts,
    "offsets": OffsetCounts,
    "runtime": RuntimeMetrics,
}


def metrics_page() -> str:
    """The page, as it should be."""
    return OPENING + _sections(GROUPS) + OF_A_BROKER + _sections(COORDINATOR_GROUPS)


def _sections(groups: dict[str, type[object]]) -> str:
    return "".join(_section(name, group) for name, group in groups.items())


def _section(name: str, group: type[object]) -> str:
    rows = "".join(f"| {' | '.join(row)} |\n" for row in _rows(group))
    return f"\n### {name}\n\n| field | name | kind | unit | meaning |\n|---|---|---|---|---|\n{rows}"


def _rows(group: type[object]) -> Iterator[tuple[str, ...]]:
    for attribute in fields(group):
        spec = spec_of(attribute)
        if spec is not None:
            yield f"`{attribute.name}`", _name(spec), spec.kind.value, f"`{spec.unit}`", spec.meaning


def _name(spec: MetricSpec) -> str:
    name = f"{spec.name}-total/avg/max" if spec.kind is MetricKind.LATENCY else spec.name
    labels = f"{{{', '.join(spec.labels)}}}" if spec.labels else ""
    return f"`{name}{labels}`" if spec.is_kafkas else f"*`{name}{labels}`*"


if __name__ == "__main__":
    PAGE.write_text(metrics_page())
