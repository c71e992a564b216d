"""The run: every way of a format reads the same topic in each round, one after the other, in an order that changes.

Before the first round all ways read the same few records, and their rows are compared; then a plain socket warms the
broker up by the topic.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from attrs import frozen

from benchmarks.consuming import task as consuming
from benchmarks.consuming.gauge import Reading
from benchmarks.consuming.warm import Warmed
from benchmarks.decoding.fill import Filled, Filling, fill
from benchmarks.decoding.formats import SHAPES
from benchmarks.decoding.read import Read
from benchmarks.decoding.task import Task
from benchmarks.decoding.ways import WAYS, Way, usual_records
from benchmarks.kafka import create_topic, delete_topics
from benchmarks.processes import ask
from benchmarks.turns import turns

__all__ = ["Measured", "Topic", "filled_topic", "measure"]

#: How many rows are compared.
CHECKED = 2_000


@frozen
class Measured:
    """All readings of one format and shape, round by round."""

    format: str
    shape: str
    filled: Filled
    readings: Mapping[Way, Sequence[Reading]]


@frozen
class Topic:
    """A topic with values, and those beside it: with fewer values for the usual ways, with a record in each partition,
    and with one partition to be checked."""

    bootstrap_servers: str
    format: str
    shape: str
    name: str
    usual: str
    beside: str
    checked: str
    partitions: int
    filled: Filled
    rows_checked: int

    def check(self) -> None:
        """Compare the rows of all ways. Raises ValueError if they differ."""
        digests = {way: self._ask(way, self.checked, 1, self.rows_checked, True).digest for way in WAYS[self.format]}
        if len({*digests.values()}) > 1:
            told = "\n".join(f"{way.name}: {digest[:8]}" for way, digest in digests.items())
            raise ValueError(f"the rows of {self.format}, {self.shape} differ:\n{told}")

    def read(self, way: Way) -> Reading:
        """Read the one beside it, to see how long it takes to start, and then this one."""
        start = self._ask(way, self.beside, self.partitions, self.partitions).as_reading()
        topic = self.usual if way.is_usual else self.name
        read = self._ask(way, topic, self.partitions, way.records_of(self.filled.records))
        return read.as_reading(start.whole_s)

    def _ask(self, way: Way, topic: str, partitions: int, records: int, is_checked: bool = False) -> Read:
        about = (self.format, self.shape, way.client, way.decoder, self.bootstrap_servers)
        return ask("benchmarks.decoding.read", Task(*about, topic, partitions, records, is_checked), Read)

    def warm_up(self) -> None:
        """Read it until the broker serves it as quickly as before."""
        about = (self.bootstrap_servers, self.name, self.partitions, self.filled.records)
        ask("benchmarks.consuming.warm", consuming.Task("plain_socket.receive", *about), Warmed)


@contextmanager
def filled_topic(
    bootstrap_servers: str, format_name: str, shape: str, partitions: int, records: int, rows_checked: int = CHECKED
) -> Iterator[Topic]:
    """Yield a topic that was filled; it and those beside it are deleted at the end of the context."""
    name, usual, beside = (create_topic(bootstrap_servers, partitions, name="values") for _ in range(3))
    checked = create_topic(bootstrap_servers, 1, name="values")
    how = (format_name, shape, bootstrap_servers)
    try:
        fill(Filling(*how, beside, partitions, partitions))
        fill(Filling(*how, checked, 1, rows_checked))
        fill(Filling(*how, usual, partitions, usual_records(records)))
        filled = fill(Filling(*how, name, partitions, records))
        names = (name, usual, beside, checked)
        yield Topic(bootstrap_servers, format_name, shape, *names, partitions, filled, rows_checked)
    finally:
        delete_topics(bootstrap_servers, [name, usual, beside, checked])


def measure(
    bootstrap_servers: str, formats: Sequence[str], shapes: Sequence[str], rounds: int, partitions: int, records: int
) -> Iterator[Measured]:
    """Each format in each shape; of the larger shapes, as many fewer records as ``SHAPES`` says."""
    for shape in shapes:
        for name in formats:
            count = max(partitions, records // SHAPES[shape])
            with filled_topic(bootstrap_servers, name, shape, partitions, count) as topic:
                topic.check()
                topic.warm_up()
                readings: dict[Way, list[Reading]] = {way: [] for way in WAYS[name]}
                for way in turns(WAYS[name], rounds):
                    readings[way].append(topic.read(way))
            yield Measured(name, shape, topic.filled, readings)
