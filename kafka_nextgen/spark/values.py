"""The values of planning: offsets by partition, offsets of the cluster, and ranges to read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import field

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.types import TopicId, TopicPartition

__all__ = ["ClusterOffsets", "PartitionOffsets", "PartitionRange", "TopicIds", "begin_offset", "first_few"]

#: The number of partitions that an error shows.
_SHOWN = 5

#: The offset of the next record to read, or the end of a range, of each partition.
PartitionOffsets = Mapping[TopicPartition, int]

#: Partitions with the ids of their topics; None if the brokers have no topic ids.
TopicIds = Mapping[TopicPartition, TopicId | None]


@frozen
class ClusterOffsets:
    """The offsets that brokers reported for partitions.

    ``earliest`` is the offset of the first record. ``latest`` is the offset after the last record that may be read: the
    end of the log, or with ``read_committed`` its last stable offset. ``topic_ids`` has the ids that the brokers know.
    """

    earliest: PartitionOffsets
    latest: PartitionOffsets
    topic_ids: TopicIds = field(factory=dict)


@frozen(order=True)
class PartitionRange:
    """The records of one partition from ``start`` up to, but not including, ``end``.

    ``topic_id`` is the id of the topic when the range was planned; None if the brokers have no topic ids.
    """

    topic: str
    partition: int
    start: int
    end: int
    topic_id: TopicId | None = field(default=None, order=False)

    @property
    def topic_partition(self) -> TopicPartition:
        """The partition as a ``TopicPartition``."""
        return TopicPartition(self.topic, self.partition)

    @property
    def size(self) -> int:
        """The number of offsets in the range. After compaction and transactions there may be fewer records."""
        return self.end - self.start

    def __str__(self) -> str:
        return f"{self.topic}[{self.partition}] {self.start}..{self.end}"


def begin_offset(tp: TopicPartition, start: PartitionOffsets, earliest: PartitionOffsets) -> int | None:
    """Return the offset at which a streaming batch begins in a partition; None if the partition is gone.

    A new partition begins at its earliest offset. Others begin where the last batch ended, or at their earliest offset
    if that is greater. ``earliest`` may lack partitions of ``start``.
    """
    if tp not in start:
        return earliest.get(tp)
    return max(start[tp], earliest.get(tp, 0))


def first_few(texts: Sequence[str], separator: str = ", ", rest: str = " and {} more") -> str:
    """Return the first texts to show in an error, and how many others there are."""
    more = len(texts) - _SHOWN
    return separator.join(texts[:_SHOWN]) + (rest.format(more) if more > 0 else "")
