"""Write docs/metrics.md from the fields of ``Metrics``: ``python docs/make_metrics.py``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from attrs import fields

from kafka_nextgen.metrics import (
    CommitMetrics,
    ConnectionMetrics,
    GroupMetrics,
    Kind,
    MetricSpec,
    PartitionMetrics,
    PollingMetrics,
    ReadingMetrics,
    TopicMetrics,
)
from kafka_nextgen.metrics.fields import spec_of

__all__ = ["metrics_page"]

PAGE = Path(__file__).with_name("metrics.md")

OPENING = """\
# Metrics

*Written by `python docs/make_metrics.py` from `kafka_nextgen/metrics/values.py`; a test keeps it in step.*

What `consumer.metrics()` has, and how `as_dict()` calls it. [seeing.md](seeing.md) says how to use it.

Counters only grow, as long as the consumer lives; gauges are as they are now. A latency is three numbers: `-total`,
a counter of all milliseconds, and the gauges `-avg` and `-max` of the last 30 to 60 seconds, as in Kafka's clients. A
name in *italics* is not one of Kafka's; the others, of latencies `-avg` and `-max`, Kafka's own consumer has as well.
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


def metrics_page() -> str:
    """The page, as it should be."""
    return OPENING + "".join(_section(name, group) for name, group in GROUPS.items())


def _section(name: str, group: type[object]) -> str:
    rows = "".join(f"| {' | '.join(row)} |\n" for row in _rows(group))
    return f"\n## {name}\n\n| field | name | kind | unit | meaning |\n|---|---|---|---|---|\n{rows}"


def _rows(group: type[object]) -> Iterator[tuple[str, ...]]:
    for attribute in fields(group):
        spec = spec_of(attribute)
        if spec is not None:
            yield f"`{attribute.name}`", _name(spec), spec.kind.value, f"`{spec.unit}`", spec.meaning


def _name(spec: MetricSpec) -> str:
    name = f"{spec.name}-total/avg/max" if spec.kind is Kind.LATENCY else spec.name
    labels = f"{{{', '.join(spec.labels)}}}" if spec.labels else ""
    return f"`{name}{labels}`" if spec.is_kafkas else f"*`{name}{labels}`*"


if __name__ == "__main__":
    PAGE.write_text(metrics_page())
