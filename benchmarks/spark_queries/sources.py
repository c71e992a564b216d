"""What is compared: the sources that a query reads from, with their options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import field, frozen

__all__ = ["BUILT_IN", "OURS", "READY_MADE", "SOURCES", "TUNED", "Source", "Topic"]


@frozen
class Topic:
    """A topic of ``records`` in all its partitions, each with a value of ``value_bytes``."""

    bootstrap_servers: str
    name: str
    partitions: int
    records: int
    value_bytes: int


@frozen
class Source:
    """One way to read a topic: a format, and options beside those that say what is read."""

    name: str
    format: str
    tuning: Mapping[str, str] = field(factory=dict, hash=False)

    def options(self, topic: Topic) -> Mapping[str, str]:
        """What a query over all of ``topic`` is given."""
        if self.format == "ready_made":
            sizes = {"records": topic.records, "partitions": topic.partitions, "valueBytes": topic.value_bytes}
            return {name: str(value) for name, value in sizes.items()}
        servers = {"kafka.bootstrap.servers": topic.bootstrap_servers}
        return {**servers, "subscribe": topic.name, "startingOffsets": "earliest", **self.tuning}


BUILT_IN = Source("built-in", "kafka")
TUNED = Source(
    "built-in, tuned",
    "kafka",
    {"kafka.max.poll.records": "10000", "kafka.max.partition.fetch.bytes": str(8 * 1024 * 1024)},
)
OURS = Source("kafka_nextgen", "kafka_nextgen")
READY_MADE = Source("ready-made Arrow", "ready_made")

#: Those that read Kafka, and one that shows what Spark itself takes.
SOURCES: Sequence[Source] = (BUILT_IN, TUNED, OURS, READY_MADE)
