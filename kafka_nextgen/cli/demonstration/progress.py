"""The current state of the demonstration: the screen shows it, and the scenario waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from attrs import field

from kafka_nextgen.cli.demonstration.ledger import Ledger
from kafka_nextgen.cli.demonstration.reports import Assigned, Committed, GivenUp, Processed, Report
from kafka_nextgen.lazy_attrs import define
from kafka_nextgen.types import TopicPartition, format_partitions

__all__ = ["PARTITION_COUNT", "TOPIC", "Progress"]

TOPIC = "flights"
PARTITION_COUNT = 12


@define
class Progress:
    """Owners and progress by partition, and the ledger behind it.

    ``totals`` has the final number of records of each partition; ``on_news`` is called with each message.
    """

    totals: list[int]
    on_news: Callable[[str], None]
    ledger: Ledger = field(factory=Ledger)
    owners: dict[int, str] = field(factory=dict)
    produced: list[int] = field(factory=lambda: [0] * PARTITION_COUNT)
    progress: list[int] = field(factory=lambda: [0] * PARTITION_COUNT)
    processed_by: dict[str, int] = field(factory=dict)
    uncommitted: dict[str, int] = field(factory=dict)
    killed: set[str] = field(factory=set)
    _changed: asyncio.Event = field(factory=asyncio.Event)

    def note_produced(self, partition: int, offset: int, checksum: int) -> None:
        """Record that the broker has stored a record."""
        self.ledger.produced(partition, offset, checksum)
        self.produced[partition] = offset + 1

    def note(self, name: str, report: Report) -> None:
        """Record a report of process ``name``."""
        if isinstance(report, Processed):
            self._note_processed(name, report)
        elif isinstance(report, Committed):
            self.ledger.committed(name, report)
            self.uncommitted[name] = 0
        elif isinstance(report, Assigned):
            self.owners.update(dict.fromkeys(report.partitions, name))
            self._say_partitions(name, "takes over", report.partitions)
        elif isinstance(report, GivenUp):
            self._release(name, report.partitions)
            self._say_partitions(name, "has lost" if report.lost else "gives up", report.partitions)
        self._changed.set()

    @property
    def total(self) -> int:
        """The final number of records."""
        return sum(self.totals)

    def note_killed(self, name: str) -> None:
        """Record that process ``name`` is about to be killed. It owns its partitions until its session expires."""
        self.ledger.killed(name)
        self.killed.add(name)

    def print_line(self, news: str) -> None:
        """Publish a message."""
        self.on_news(news)
        self._changed.set()

    def owned_by(self, name: str) -> list[int]:
        """Return the partitions that process ``name`` reported."""
        return sorted(partition for partition, owner in self.owners.items() if owner == name)

    def everything_processed(self) -> bool:
        """Return whether all flights were produced and processed."""
        return self.ledger.count_produced() == self.total == self.ledger.count_processed()

    async def wait_until(self, condition: Callable[[], bool]) -> None:
        """Wait for the condition, which is checked after each change."""
        while not condition():
            self._changed.clear()
            await self._changed.wait()

    def wake(self) -> None:
        """Check conditions again."""
        self._changed.set()

    def _note_processed(self, name: str, report: Processed) -> None:
        self.ledger.processed(name, report)
        self.progress[report.partition] = max(self.progress[report.partition], report.offset + 1)
        self.processed_by[name] = self.processed_by.get(name, 0) + 1
        self.uncommitted[name] = self.uncommitted.get(name, 0) + 1

    def _release(self, name: str, partitions: tuple[int, ...]) -> None:
        for partition in partitions:
            if self.owners.get(partition) == name:
                del self.owners[partition]

    def _say_partitions(self, name: str, verb: str, partitions: tuple[int, ...]) -> None:
        if partitions:
            written = format_partitions(TopicPartition(TOPIC, number) for number in partitions)
            self.print_line(f"{name} {verb} {written}")
