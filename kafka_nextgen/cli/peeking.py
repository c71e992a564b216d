"""``kafka-nextgen consume`` without a group: partitions are assigned manually, and nothing is committed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from kafka_nextgen.consumer import Consumer
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.properties.offset_reset import OffsetReset
from kafka_nextgen.types import OffsetRange, TopicPartition

__all__ = ["Peek"]


@frozen
class Peek:
    """What to read: these partitions of each topic, or all; their last records; and whether to stop at their ends."""

    numbers: tuple[int, ...] = ()
    last: int | None = None
    exits_at_end: bool = False

    @property
    def is_asked_for(self) -> bool:
        """Whether any option was given that needs a command without a group."""
        return self != Peek()

    def assign(self, consumer: Consumer, topics: Sequence[str]) -> None:
        """Assign the partitions; with ends, the ranges up to the present ends."""
        partitions = [tp for topic in dict.fromkeys(topics) for tp in self._partitions_of(consumer, topic)]
        if self.last is None and not self.exits_at_end:
            consumer.assign(partitions)
            return
        starts, ends = consumer.beginning_offsets(partitions).all(), consumer.end_offsets(partitions).all()
        from_beginning = consumer.config.auto_offset_reset is OffsetReset.EARLIEST
        first = {tp: self._first(starts[tp], ends[tp], from_beginning) for tp in partitions}
        if self.exits_at_end:
            consumer.assign({tp: OffsetRange(first[tp], ends[tp]) for tp in partitions})
            return
        consumer.assign(partitions)
        for tp, offset in first.items():
            consumer.seek(tp, offset)

    def _first(self, start: int, end: int, from_beginning: bool) -> int:
        if self.last is not None:
            return max(start, end - self.last)
        return start if from_beginning else end

    def _partitions_of(self, consumer: Consumer, topic: str) -> Iterator[TopicPartition]:
        existing = consumer.partitions_for(topic)
        if not existing:
            raise click.ClickException(f"there is no topic {topic}")
        for number in self.numbers or existing:
            if number not in existing:
                raise click.ClickException(f"{topic} has no partition {number}: it has 0 to {max(existing)}")
            yield TopicPartition(topic, number)
