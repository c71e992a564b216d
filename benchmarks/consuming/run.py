"""The run: every variant reads the same topic in each round, one after the other, in an order that rotates.

Before the first round the baseline reads once uncounted: until then the broker does many things for the first time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from attrs import evolve, frozen

from benchmarks.consuming.fill import Filled, Filling, fill
from benchmarks.consuming.gauge import Reading
from benchmarks.consuming.task import Task
from benchmarks.consuming.variants import BASELINE, Variant
from benchmarks.kafka import create_topic
from benchmarks.processes import ask
from benchmarks.turns import turns

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
    """A topic that was filled, and beside it one with a record in each of as many partitions."""

    bootstrap_servers: str
    name: str
    beside: str
    partitions: int
    filled: Filled

    def read(self, variant: Variant, pause_s: float = 0.0) -> Reading:
        """Read the one beside it, to see how long it takes to start, and then this one."""
        start = self._read(variant, self.beside, self.partitions, 0.0)
        records = max(1, int(self.filled.records * variant.share))
        return evolve(self._read(variant, self.name, records, pause_s), start_s=start.whole_s)

    def _read(self, variant: Variant, topic: str, records: int, pause_s: float) -> Reading:
        about = (variant.reader, self.bootstrap_servers, topic, self.partitions, records, variant.tuned, pause_s)
        return ask("benchmarks.consuming.read", Task(*about), Reading, PURE if variant.is_pure else {})

    def read_in_turns(
        self, variants: Sequence[Variant], rounds: int, pause_s: float = 0.0
    ) -> Mapping[Variant, Sequence[Reading]]:
        """Read once uncounted, then by each variant in each round."""
        self.read(BASELINE)
        readings: dict[Variant, list[Reading]] = {variant: [] for variant in variants}
        for variant in turns(variants, rounds):
            readings[variant].append(self.read(variant, pause_s))
        return readings


def fill_topic(bootstrap_servers: str, partitions: int, records: int, value_bytes: int, layout: Layout) -> Topic:
    name, beside = (create_topic(bootstrap_servers, partitions, name="consume") for _ in range(2))
    how = (value_bytes, layout.compression, layout.batch_bytes)
    fill(Filling(bootstrap_servers, beside, partitions, partitions, *how))
    filled = fill(Filling(bootstrap_servers, name, partitions, records, *how))
    return Topic(bootstrap_servers, name, beside, partitions, filled)


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
        yield Measured(layout, topic.filled, topic.read_in_turns(variants, rounds))
