"""Topics and partitions as messages carry them: grouped by name or by id.

The group protocol uses topic ids, and so do newer versions of other APIs; coordinators and applications keep offsets by
topic name.
"""

from __future__ import annotations

from collections.abc import Iterable

from kafka_nextgen.errors import DecodeError
from kafka_nextgen.types import TopicId, TopicIdPartition, TopicPartition

__all__ = ["NO_TOPIC_ID", "by_name", "by_topic_id", "topic_id_partitions"]

#: The id that Kafka writes for "no topic id".
NO_TOPIC_ID = TopicId(int=0)


def by_name(partitions: Iterable[TopicPartition]) -> dict[str, list[int]]:
    """Group partitions by topic, sorted and without duplicates."""
    grouped: dict[str, list[int]] = {}
    for partition in sorted(set(partitions)):
        grouped.setdefault(partition.topic, []).append(partition.partition)
    return grouped


def by_topic_id(partitions: Iterable[TopicIdPartition]) -> dict[TopicId, list[int]]:
    """Group partitions by topic id, sorted and without duplicates."""
    grouped: dict[TopicId, list[int]] = {}
    for partition in sorted(set(partitions)):
        grouped.setdefault(partition.topic_id, []).append(partition.partition)
    return grouped


def topic_id_partitions(pairs: Iterable[tuple[TopicId | None, Iterable[int]]]) -> frozenset[TopicIdPartition]:
    """The set of partitions in a message. Raises ``DecodeError`` for a missing id or a negative partition."""
    found = set()
    for topic_id, partitions in pairs:
        for partition in partitions:
            if topic_id is None or partition < 0:
                raise DecodeError(f"there is no partition {partition} of topic id {topic_id or NO_TOPIC_ID}")
            found.add(TopicIdPartition(topic_id, partition))
    return frozenset(found)
