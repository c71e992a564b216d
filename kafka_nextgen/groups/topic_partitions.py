"""A member's target assignment: partition numbers by topic id, as in Kafka's record and in assignors.

A group may have a hundred thousand partitions, and most members keep their target in a rebalance. So each target is
passed as one object from the record to the assignor and back, and unchanged targets are never iterated over. Topics
without partitions are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from types import MappingProxyType

from kafka_nextgen.types import TopicId, TopicIdPartition

__all__ = ["NOTHING", "TopicPartitions", "flatten", "to_topic_partitions"]

TopicPartitions = Mapping[TopicId, frozenset[int]]

#: The target of a member without partitions.
NOTHING: TopicPartitions = MappingProxyType({})


def to_topic_partitions(partitions: Iterable[TopicIdPartition]) -> TopicPartitions:
    """Group the partitions by topic id."""
    by_topic: dict[TopicId, set[int]] = {}
    for partition in partitions:
        by_topic.setdefault(partition.topic_id, set()).add(partition.partition)
    return {topic_id: frozenset(numbers) for topic_id, numbers in by_topic.items()}


def flatten(share: Mapping[TopicId, Set[int]]) -> Iterator[TopicIdPartition]:
    """List the partitions individually."""
    return (TopicIdPartition(topic_id, number) for topic_id, numbers in share.items() for number in numbers)
