"""The run: every variant reads the same topic in each round, one after the other, in an order that changes.

Before the first round the broker is warmed up by that topic (``warm.py`` says how): until then it does many things for
the first time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from attrs import evolve, frozen

from benchmarks.consuming.fill import Filled, Filling, fill
from benchmarks.consuming.gauge import Reading
from benchmarks.consuming.task import Task
from benchmarks.consuming.variants import Variant
from benchmarks.consuming.warm import Warmed
from benchmarks.kafka import create_topic, delete_topics
from benchmarks.processes import ask
from benchmarks.turns import turns

__all__ = ["LAYOUTS", "Layout", "Measured", "Topic", "filled_topic", "measure"]


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
    """All readings of one topic, round by round, and the records a second at which it was read to warm the broker."""

    layout: Layout
    filled: Filled
    warmed: Warmed
    readings: Mapping[Variant, Sequence[Reading]]


@frozen
class Topic:
    """A topic that was filled, and beside it one with a record in each of as many partitions."""

    bootstrap_servers: str
    name: str
    beside: str
    partitions: int
    layout: Layout
    filled: Filled

    def read(self, variant: Variant, pause_s: float = 0.0) -> Reading:
        """Read the one beside it, to see how long it takes to start, and then this one."""
        start = self._read(variant, self.beside, self.partitions, 0.0)
        records = variant.records_of(self.filled.records)
        return evolve(self._read(variant, self.name, records, pause_s), start_s=start.whole_s)

    def _read(self, variant: Variant, topic: str, records: int, pause_s: float) -> Reading:
        about = (variant.reader, self.bootstrap_servers, topic, self.partitions, records, variant.tuned, pause_s)
        return ask("benchmarks.consuming.read", Task(*about), Reading, PURE if variant.is_pure else {})

    def warm_up(self) -> Warmed:
        """Read it until the broker serves it as quickly as before."""
        task = Task("plain_socket.receive", self.bootstrap_servers, self.name, self.partitions, self.filled.records)
        return ask("benchmarks.consuming.warm", task, Warmed)

    def read_in_turns(self, variants: Sequence[Variant], rounds: int, pause_s: float = 0.0) -> Measured:
        """Warm up, then read by each variant in each round, by those that are rare in the first only."""
        warmed = self.warm_up()
        readings: dict[Variant, list[Reading]] = {variant: [] for variant in variants}
        for variant in turns(variants, rounds, once=[each for each in variants if each.is_rare]):
            readings[variant].append(self.read(variant, pause_s))
        return Measured(self.layout, self.filled, warmed, readings)


@contextmanager
def filled_topic(
    bootstrap_servers: str, partitions: int, records: int, value_bytes: int, layout: Layout
) -> Iterator[Topic]:
    """Yield a topic that was filled; it is deleted at the end of the context, and with it what it takes on disk."""
    name, beside = (create_topic(bootstrap_servers, partitions, name="consume") for _ in range(2))
    how = (value_bytes, layout.compression, layout.batch_bytes)
    try:
        fill(Filling(bootstrap_servers, beside, partitions, partitions, *how))
        filled = fill(Filling(bootstrap_servers, name, partitions, records, *how))
        yield Topic(bootstrap_servers, name, beside, partitions, layout, filled)
    finally:
        delete_topics(bootstrap_servers, [name, beside])


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
        with filled_topic(bootstrap_servers, partitions, records, value_bytes, layout) as topic:
            measured = topic.read_in_turns(variants, rounds)
        yield measured
