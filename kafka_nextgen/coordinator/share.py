"""A member's share of a target assignment: numbers of partitions by topic id, as Kafka's record has it, and assignors.

A group may have a hundred thousand partitions, and most shares stay what they are when it rebalances. So a share is
handed on as one object, from the record to the assignor and back, and nobody looks into those that did not change.
Topics that a member has nothing of are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from types import MappingProxyType

from kafka_nextgen.types import TopicId, TopicIdPartition

__all__ = ["NOTHING", "Share", "flatten", "share_of"]

Share = Mapping[TopicId, frozenset[int]]

#: The share of a member that has none.
NOTHING: Share = MappingProxyType({})


def share_of(partitions: Iterable[TopicIdPartition]) -> Share:
    """The partitions, by topic."""
    by_topic: dict[TopicId, set[int]] = {}
    for partition in partitions:
        by_topic.setdefault(partition.topic_id, set()).add(partition.partition)
    return {topic_id: frozenset(numbers) for topic_id, numbers in by_topic.items()}


def flatten(share: Mapping[TopicId, Set[int]]) -> Iterator[TopicIdPartition]:
    """The partitions, one by one."""
    return (TopicIdPartition(topic_id, number) for topic_id, numbers in share.items() for number in numbers)
