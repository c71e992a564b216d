"""The run: every variant reads the same topic in each round, one after the other, in an order that rotates.

Before the first round the baseline reads once uncounted: until then the broker does many things for the first time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from attrs import frozen

from benchmarks.consuming.fill import Filled, Filling, fill
from benchmarks.consuming.gauge import Reading
from benchmarks.consuming.task import Task
from benchmarks.consuming.variants import BASELINE, Variant
from benchmarks.kafka import create_topic
from benchmarks.processes import ask

__all__ = ["LAYOUTS", "Layout", "Measured", "Topic", "fill_topic", "measure"]


@frozen
class Layout:
    """How a topic was written: in batches of at most ``batch_bytes`` before compression."""

    compression: str
    batch_bytes: int

    def __str__(self) -> str:
        how = "uncompressed" if self.compression == "none" else self.compression
        return f"{how}, batches of {self.batch_bytes // 1024} KiB"


#: The environment in which our client decodes by its pure-Python twin.
PURE = {"KAFKA_NEXTGEN_PURE": "1"}

#: 128 KiB is what producers that are after throughput use; 16 KiB is the default of Kafka's own.
LAYOUTS = (Layout("none", 131_072), Layout("lz4", 131_072), Layout("lz4", 16_384))


@frozen
class Measured:
    """All readings of one topic, round by round."""

    layout: Layout
    filled: Filled
    readings: Mapping[Variant, Sequence[Reading]]


@frozen
class Topic:
    """A topic that was filled."""

    bootstrap_servers: str
    name: str
    partitions: int
    filled: Filled

    def read(self, variant: Variant) -> Reading:
        records = max(1, int(self.filled.records * variant.share))
        about = (variant.reader, self.bootstrap_servers, self.name, self.partitions, records, variant.tuned)
        return ask("benchmarks.consuming.read", Task(*about), Reading, PURE if variant.is_pure else {})


def fill_topic(bootstrap_servers: str, partitions: int, records: int, value_bytes: int, layout: Layout) -> Topic:
    name = create_topic(bootstrap_servers, partitions, name="consume")
    filling = Filling(bootstrap_servers, name, partitions, records, value_bytes, layout.compression, layout.batch_bytes)
    return Topic(bootstrap_servers, name, partitions, fill(filling))


def measure(
    bootstrap_servers: str,
    layouts: Sequence[Layout],
    variants: Sequence[Variant],
    rounds: int,
    partitions: int,
    records: int,
    value_bytes: int,
) -> Iterator[Measured]:
    for layout in layouts:
        topic = fill_topic(bootstrap_servers, partitions, records, value_bytes, layout)
        topic.read(BASELINE)
        readings: dict[Variant, list[Reading]] = {variant: [] for variant in variants}
        for number in range(rounds):
            for variant in _rotated(variants, number):
                readings[variant].append(topic.read(variant))
        yield Measured(layout, topic.filled, readings)


def _rotated(variants: Sequence[Variant], number: int) -> Sequence[Variant]:
    begin = number * 7 % len(variants)
    return [*variants[begin:], *variants[:begin]]
